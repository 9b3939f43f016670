import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  status: number;
  /** The next page of a list, as its `Link` says. */
  next: string | undefined;
  // oxlint-disable-next-line no-explicit-any -- the callers know the shapes
  body: any;
}

interface Credentials {
  id: string;
  secret: string;
}

/** The pause before a request is sent again. */
const RETRY_MILLIS = 100;
/** How long a request is repeated while the platform is down or starts. */
const GIVE_UP_MILLIS = 60_000;

/** Repeats a request until it has an answer with a status below 500. */
export async function answered(url: string, init: RequestInit): Promise<Answer> {
  const until = Date.now() + GIVE_UP_MILLIS;
  for (;;) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
      const text = await response.text();
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (response.status < 500)
        return { status: response.status, next, body: text && (JSON.parse(text) as unknown) };
    } catch {
      // The connection was lost or refused.
    }
    if (Date.now() > until) throw new Error(`${url} was not answered within ${GIVE_UP_MILLIS / 1_000} s`);
    await sleep(RETRY_MILLIS);
  }
}

/** Sends a request with JSON. A POST has a key, so that it can be sent again without a second effect. */
export const request = (
  url: string,
  method: string,
  { token, body }: { token?: string; body?: object },
): Promise<Answer> =>
  answered(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });

/** A machine client with its own token, which it renews. */
export class Integrator {
  /** How often it got a new token. */
  renewals = 0;
  private readonly url: string;
  private readonly credentials: Credentials;
  private readonly tokenSeconds: number;
  private token: Promise<string> | undefined;
  private validUntil = 0;

  /**
   * @param url the gateway
   * @param tokenSeconds the age at which a token is replaced, if it was not refused and does not expire before
   */
  constructor(url: string, credentials: Credentials, tokenSeconds: number) {
    this.url = url;
    this.credentials = credentials;
    this.tokenSeconds = tokenSeconds;
  }

  async call(method: string, path: string, body?: object): Promise<Answer> {
    for (;;) {
      const token = await this.currentToken();
      const answer = await request(`${this.url}${path}`, method, { token, ...(body && { body }) });
      if (answer.status !== 401) return answer;
      this.validUntil = 0;
    }
  }

  private currentToken(): Promise<string> {
    if (!this.token || Date.now() > this.validUntil) {
      this.validUntil = Infinity; // other calls wait for the same token
      this.token = this.newToken();
    }
    return this.token;
  }

  private async newToken(): Promise<string> {
    const { id, secret } = this.credentials;
    const { status, body } = await request(`${this.url}/identity/auth/token`, 'POST', {
      body: { grant_type: 'client_credentials', client_id: id, client_secret: secret },
    });
    if (status !== 200) throw new Error(`a token was refused: ${status} ${JSON.stringify(body)}`);
    this.renewals += 1;
    this.validUntil = Date.now() + Math.min(this.tokenSeconds, body.expires_in - 30) * 1_000;
    return body.access_token as string;
  }
}
