import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { ERRORS } from '#server/errors.ts';
import type { History, Operation } from '../history.ts';

/** A request through the gateway: REST, or a GraphQL operation. */
export type Request =
  | { method: string; path: string; body?: object; headers?: Record<string, string> }
  | { query: string; variables?: object };

export interface Answer {
  status: number;
  code?: string;
  // oxlint-disable-next-line no-explicit-any -- the JSON of many routes
  body: any;
  etag?: string;
}

export interface Performed<Value> {
  kind: string;
  input: Record<string, unknown>;
  token: string;
  request: Request;
  /**
   * `key`: the request is repeated with its Idempotency-Key until its outcome is known. `once`: it is sent once.
   * `again`: it is repeated as it is, because a second effect is not possible.
   */
  repeat: 'key' | 'once' | 'again';
  /** The part of the answer that the checker needs. */
  value?: (answer: Answer) => Value;
}

const ATTEMPT_TIMEOUT_MILLIS = 15_000;
/** How long an operation is repeated. Longer than every fault, so that few outcomes stay unknown. */
const REPEAT_MILLIS = 60_000;

/** A client that follows the documented contract: it repeats what had no answer or a 5xx, with the same key. */
export class ChaosClient {
  readonly history: History;
  readonly url: string;
  // An idle connection is closed before a server that drains closes it (DRAIN_DELAY_MILLIS of the tests is longer), so that
  // no request is sent over a connection that is being closed.
  private readonly agent = new Agent({ connections: 64, connectTimeout: 5_000, keepAliveTimeout: 2_000 });

  constructor(history: History, url: string) {
    this.history = history;
    this.url = url;
  }

  async perform<Value>(actor: string, what: Performed<Value>): Promise<Operation<Value>> {
    const operation = this.history.begin<Value>(actor, what.kind, what.input);
    const key = what.repeat === 'key' ? randomUUID() : undefined;
    const until = Date.now() + REPEAT_MILLIS;
    for (let pause = 100; ; pause = Math.min(pause * 2, 1_000)) {
      const answer = await this.attempt(operation, what, key);
      if (answer.status >= 200 && answer.status < 300) {
        operation.outcome = 'ok';
        const value = what.value?.(answer);
        if (value !== undefined) operation.value = value;
        break;
      }
      if (isRefusal(answer.status)) {
        operation.outcome = 'refused';
        operation.code = answer.code ?? String(answer.status);
        break;
      }
      if (what.repeat === 'once' || Date.now() > until) {
        operation.outcome = 'unknown';
        break;
      }
      await sleep(pause);
    }
    this.history.finish(operation);
    return operation;
  }

  private async attempt(
    operation: Operation,
    { request: sent, token }: Pick<Performed<unknown>, 'request' | 'token'>,
    key: string | undefined,
  ): Promise<Answer> {
    const start = this.history.now();
    const answer = await this.send(sent, token, key);
    operation.attempts.push({
      start,
      end: this.history.now(),
      status: answer.status,
      ...(answer.code && { code: answer.code }),
    });
    return answer;
  }

  /** Sends one request, which is not recorded. Status 0 means that there was no answer. */
  async send(sent: Request, token: string, key?: string): Promise<Answer> {
    const isGraph = 'query' in sent;
    try {
      const answer = await request(this.url + (isGraph ? '/graphql' : sent.path), {
        dispatcher: this.agent,
        method: isGraph ? 'POST' : (sent.method as 'POST'),
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(key && { 'idempotency-key': key }),
          ...(isGraph ? undefined : sent.headers),
        },
        ...(isGraph
          ? { body: JSON.stringify({ query: sent.query, variables: sent.variables }) }
          : sent.body && { body: JSON.stringify(sent.body) }),
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MILLIS),
      });
      const text = await answer.body.text();
      const body = text ? (JSON.parse(text) as { code?: string }) : undefined;
      const { etag } = answer.headers;
      const code = isGraph ? graphCode(body) : body?.code;
      const status = isGraph && code ? statusOf(code) : answer.statusCode;
      return {
        status,
        body,
        ...(status >= 400 && code && { code }),
        ...(typeof etag === 'string' && { etag }),
      };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      return { status: 0, code: code ?? name, body: undefined };
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** 429 is a refusal, too: nothing has changed. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408;

/** The status that REST has for a code of the graph; 500 for an unknown one. */
export const statusOf = (code: string): number =>
  code in ERRORS ? ERRORS[code as keyof typeof ERRORS].status : 500;

/** The worst code of a GraphQL answer; undefined if it has no error. */
function graphCode(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { errors?: { extensions?: { code?: string } }[] };
  const codes = errors?.map(({ extensions }) => extensions?.code ?? 'INTERNAL');
  return codes?.toSorted((one, other) => statusOf(other) - statusOf(one))[0];
}
