import { z } from 'zod';
import { PlatformError } from '../errors.ts';
import type { ServerSettings } from '../settings.ts';
import { secretsOf, type ServerName } from './service-secret.ts';

/** The token with which a service calls other services as itself. */
export interface ServiceTokens {
  /** A token that is valid for at least one more minute. @throws UPSTREAM_UNAVAILABLE if identity issues none. */
  get(): Promise<string>;
  /** Reports a token that a service has refused with 401: it is not used again, although it has not expired. */
  refused(token: string): void;
}

const REFRESH_BEFORE_MILLIS = 60_000; // 1 min
const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });

/**
 * Gets tokens from identity's `POST /auth/token` (client credentials, RFC 6749 section 4.4), and reuses each token until
 * shortly before it expires.
 */
export function serviceTokens(client: ServerName, settings: ServerSettings): ServiceTokens {
  let token = '';
  let goodUntil = 0;
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    try {
      const { clientSecret: client_secret } = await secretsOf(client, settings);
      const response = await fetch(`${settings.identityUrl}/auth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ grant_type: 'client_credentials', client_id: client, client_secret }),
        signal: AbortSignal.timeout(5_000), // 5 s
      });
      if (!response.ok)
        throw new Error(
          `POST /auth/token answered ${response.status}${response.status === 401 ? ': this service and identity have different service secrets, see SERVICE_SECRET' : ''}`,
        );
      const answer = tokenAnswer.parse(await response.json());
      token = answer.access_token;
      goodUntil = Date.now() + answer.expires_in * 1000 - REFRESH_BEFORE_MILLIS;
    } catch (cause) {
      throw new PlatformError(
        'UPSTREAM_UNAVAILABLE',
        'The identity service issues no token to this service now; try again in a moment.',
        { retryAfterSeconds: 1, cause },
      );
    }
  };
  return {
    async get() {
      if (Date.now() < goodUntil) return token;
      asking ??= ask().finally(() => (asking = undefined));
      await asking;
      return token;
    },
    refused(refusedToken) {
      if (refusedToken === token) goodUntil = 0;
    },
  };
}
