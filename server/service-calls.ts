import { Pool } from 'undici';
import { PlatformError, type ErrorCode, ERRORS, type FieldError } from './errors.ts';
import { continued } from './http/trace.ts';
import type { ServiceTokens } from './auth/service-tokens.ts';
import { urlOf, type ServerSettings, type ServiceName } from './settings.ts';
import type { Origin } from './unit-of-work.ts';

export interface ServiceCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  path: string;
  body?: unknown;
  /** In whose name: the caller's own token where their rights decide, else this service's. */
  as: 'caller' | 'service';
  /** The request that this one is part of: its trace, its id, and the caller's token. */
  origin: Origin;
  /** The user whose wish this is, where it is made as a service: the other service's audit names them. */
  onBehalfOf?: string | undefined;
  /** Makes a repeated POST harmless at the other service. */
  idempotencyKey?: string;
}

/** Another service of the platform, called by REST. */
export interface ServiceCalls {
  /**
   * The answer's body. @throws the other service's own 4xx as it is; UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT where it
   * does not answer, both with `Retry-After`.
   */
  call(call: ServiceCall): Promise<unknown>;
  close(): Promise<void>;
}

export interface ServiceCallsOptions {
  name: ServiceName;
  url: string;
  tokens: ServiceTokens;
  /** Default 3 s. */
  timeoutMillis?: number;
}

/** Pooled keep-alive connections to one service, time-limited. */
export function serviceCalls({
  name,
  url,
  tokens,
  timeoutMillis = 3_000,
}: ServiceCallsOptions): ServiceCalls {
  const pool = new Pool(url, { connections: 32, keepAliveTimeout: 30_000, connect: { timeout: 1_000 } }); // 30 s, 1 s
  return {
    async call({ method, path, body, as, origin, onBehalfOf, idempotencyKey }) {
      const authorization = as === 'caller' ? origin.authorization : `Bearer ${await tokens.get()}`;
      const signal = AbortSignal.timeout(timeoutMillis);
      let answer: { status: number; text: string };
      try {
        const response = await pool.request({
          method,
          path,
          signal,
          headers: {
            accept: 'application/json',
            traceparent: continued(origin.traceparent),
            ...(origin.requestId && { 'x-request-id': origin.requestId }),
            ...(origin.address && { 'x-forwarded-for': origin.address }),
            ...(authorization && { authorization }),
            ...(onBehalfOf && { 'x-on-behalf-of': onBehalfOf }),
            ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        answer = { status: response.statusCode, text: await response.body.text() };
      } catch (cause) {
        throw unavailable(name, signal.aborted, cause);
      }
      return bodyOf(name, answer.status, answer.text);
    },
    close: () => pool.close(),
  };
}

/** All services of the platform, connected to when they are first called. */
export interface CallsToServices {
  to(service: ServiceName): ServiceCalls;
  close(): Promise<void>;
}

export function callsToServices(options: {
  settings: ServerSettings;
  tokens: ServiceTokens;
  /** Default 3 s. */
  timeoutMillis?: number;
}): CallsToServices {
  const { settings, ...rest } = options;
  const calls = new Map<ServiceName, ServiceCalls>();
  return {
    to(name) {
      const known = calls.get(name) ?? serviceCalls({ name, url: urlOf(name, settings), ...rest });
      calls.set(name, known);
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
  throw unavailable(name, false, new Error(`it answered ${status}: ${text.slice(0, 500)}`));
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT of a service that is needed and gives no answer that can be used. */
export const unavailable = (name: ServiceName, late: boolean, cause: unknown) =>
  new PlatformError(
    late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE',
    `The ${name} service, which is needed for this, does not answer; nothing was changed. Try again in a moment.`,
    { retryAfterSeconds: 1, cause },
  );
