import { Pool } from 'undici';
import { PlatformError, type ErrorCode, ERRORS, type FieldError } from './errors.ts';
import { mayRetry } from './http/may-retry.ts';
import { callSpan, endCall } from './observability/call-span.ts';
import { errorTypeOf, outgoing } from './observability/tracing.ts';
import { noteOutsideEffect } from './outside-effects.ts';
import type { ServiceTokens } from './auth/service-tokens.ts';
import { urlOf, type ServerSettings, type ServiceName } from './settings.ts';
import type { Origin } from './unit-of-work.ts';

export interface ServiceCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with the query string. */
  path: string;
  body?: unknown;
  /** `caller` sends the caller's own token, so that their rights decide; `service` sends this service's token. */
  as: 'caller' | 'service';
  /** The request that causes this call: its trace, its id, and the caller's token. */
  origin: Origin;
  /** The user for whom the service makes the call; the other service's audit record names them. */
  onBehalfOf?: string | undefined;
  /** Makes a repeated POST idempotent at the other service. */
  idempotencyKey?: string;
  /** Ends the call, for work that is stopped. */
  signal?: AbortSignal;
}

/** Another service of the platform, called by REST. */
export interface ServiceCalls {
  /**
   * Returns the body of the answer. @throws the other service's 4xx unchanged; UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT, both
   * with `Retry-After`, if it does not answer, or answers 401 or 5xx
   */
  call(call: ServiceCall): Promise<unknown>;
  close(): Promise<void>;
}

export interface ServiceCallsOptions {
  name: ServiceName;
  url: string;
  tokens: ServiceTokens;
  /** The time limit of a call; a shorter limit of the request that causes it applies instead. */
  timeoutMillis: number;
}

/**
 * Pooled keep-alive connections to one service, with time limits. A call whose connection is lost is sent once more if the
 * service cannot carry it out twice (`mayRetry`).
 */
export function serviceCalls({ name, url, tokens, timeoutMillis }: ServiceCallsOptions): ServiceCalls {
  const options = { connections: 32, connect: { timeout: 1_000 } }; // 1 s
  const pool = new Pool(url, { ...options, keepAliveTimeout: 30_000 }); // 30 s
  const newConnections = new Pool(url, { ...options, pipelining: 0 });
  return {
    async call(call) {
      const { method, origin } = call;
      if (method !== 'GET') noteOutsideEffect();
      const late = AbortSignal.timeout(Math.min(timeoutMillis, Math.ceil(origin.timeLeft?.() ?? Infinity)));
      const signal = call.signal ? AbortSignal.any([late, call.signal]) : late;
      const answerTo = async (authorization: string | undefined): Promise<Answer> => {
        const span = callSpan(method, name);
        const request = requestOf(call, authorization, outgoing(span, origin.traceparent));
        const send = async (connections: Pool): Promise<Answer> => {
          const { statusCode, body } = await connections.request({ ...request, signal });
          return { status: statusCode, text: await body.text() };
        };
        try {
          const answer = await send(pool).catch((error: unknown) => {
            if (signal.aborted || !mayRetry(error, method === 'GET')) throw error;
            return send(newConnections);
          });
          endCall(span, answer.status);
          return answer;
        } catch (cause) {
          endCall(span, late.aborted ? 'timeout' : errorTypeOf(cause));
          throw unavailable(name, late.aborted, cause);
        }
      };
      const answerToToken = async (): Promise<Answer & { token: string }> => {
        const token = await unlessAborted(tokens.get(), signal).catch((error: unknown) => {
          throw signal.aborted ? unavailable('identity', late.aborted, error) : error;
        });
        return { token, ...(await answerTo(`Bearer ${token}`)) };
      };
      if (call.as === 'caller') {
        const { status, text } = await answerTo(origin.authorization);
        return bodyOf(name, status, text);
      }
      let answer = await answerToToken();
      if (answer.status === 401) {
        // For example, identity has new signing keys since its database was restored. A refused call was not carried out.
        tokens.refused(answer.token);
        answer = await answerToToken();
      }
      return bodyOf(name, answer.status, answer.text);
    },
    close: async () => {
      await Promise.all([pool.close(), newConnections.close()]);
    },
  };
}

interface Answer {
  status: number;
  text: string;
}

/** The result of `work`, unless `signal` aborts first; `work`, for which others may wait, too, goes on. */
const unlessAborted = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  Promise.race([
    work,
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
  ]);

const requestOf = (
  { method, path, body, origin, onBehalfOf, idempotencyKey }: ServiceCall,
  authorization: string | undefined,
  traceparent: string,
) => ({
  method,
  path,
  headers: {
    accept: 'application/json',
    traceparent,
    ...(origin.requestId && { 'x-request-id': origin.requestId }),
    ...(origin.address && { 'x-forwarded-for': origin.address }),
    ...(authorization && { authorization }),
    ...(onBehalfOf && { 'x-on-behalf-of': onBehalfOf }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});

/** All services of the platform. The connection to each is opened at its first call. */
export interface CallsToServices {
  to(service: ServiceName): ServiceCalls;
  close(): Promise<void>;
}

export function callsToServices(options: {
  settings: ServerSettings;
  tokens: ServiceTokens;
  /** The time limit of a call. Default: SERVICE_CALL_TIMEOUT_MILLIS. */
  timeoutMillis?: number;
}): CallsToServices {
  const { settings, tokens, timeoutMillis = settings.serviceCallTimeoutMillis } = options;
  const calls = new Map<string, ServiceCalls>();
  return {
    to(name) {
      const url = urlOf(name, settings);
      const known = calls.get(url) ?? serviceCalls({ name, url, tokens, timeoutMillis });
      calls.set(url, known);
      return known;
    },
    close: async () => {
      await Promise.all([...calls.values()].map((each) => each.close()));
    },
  };
}

function bodyOf(name: ServiceName, status: number, text: string): unknown {
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch (cause) {
    throw unavailable(name, false, cause);
  }
  if (status < 400) return body;
  const problem = (body ?? {}) as { code?: unknown; detail?: unknown; errors?: readonly FieldError[] };
  if (status < 500 && status !== 401 && isCode(problem.code)) {
    throw new PlatformError(
      problem.code,
      String(problem.detail),
      problem.errors ? { errors: problem.errors } : {},
    );
  }
  throw unavailable(name, false, new Error(`${name} answered ${status}: ${text.slice(0, 500)}`));
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** UPSTREAM_UNAVAILABLE, or UPSTREAM_TIMEOUT if `late`, for a service that returns no usable answer. */
export const unavailable = (name: ServiceName, late: boolean, cause: unknown) =>
  new PlatformError(
    late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE',
    `The ${name} service, which this request needs, does not answer; nothing was changed. Try again in a moment.`,
    { retryAfterSeconds: 1, cause },
  );
