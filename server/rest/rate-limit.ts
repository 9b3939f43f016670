import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit, type Options, type Store } from 'express-rate-limit';
import type { Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { contextOf } from '../http/request-context.ts';
import { callerOf } from './idempotency.ts';

export interface RateLimit {
  /** The name of the limit in the `RateLimit` headers, and its prefix in the store. */
  name: string;
  perMinute: number;
  /** `caller`: the user, else the address. `address`: always the address. */
  by: 'caller' | 'address';
}

interface RateLimitOptions extends RateLimit {
  /** Counts for all replicas together; if absent, in this process. */
  store?: Store | undefined;
}

/**
 * Requests per minute, reported in the `RateLimit` and `RateLimit-Policy` headers
 * (IETF draft-ietf-httpapi-ratelimit-headers-08); beyond the limit 429 with `Retry-After`.
 */
export function rateLimited({ name, perMinute, by, store }: RateLimitOptions): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MILLIS,
    limit: perMinute,
    identifier: name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ...(store && { store }),
    // A store that fails must not stop the service: requests are then not counted.
    passOnStoreError: true,
    // express-rate-limit's response type is express's, under another name.
    // The platform's own services carry the requests of all users; each user was counted where their request arrived.
    skip: (_req, res) => by === 'caller' && contextOf(res as never).viewer.kind === 'service',
    keyGenerator: (_req, res) => keyOf({ name, by }, contextOf(res as never)),
    handler: (req, _res, next) => {
      next(tooMany(perMinute, (req as { rateLimit?: { resetTime?: Date } }).rateLimit?.resetTime));
    },
  });
}

/** The same limit without an HTTP handler, for a field of the graph. @throws RATE_LIMITED */
export function limitTaker(limit: RateLimit, store: Store): (caller: Caller) => Promise<void> {
  const take = rateCounter(limit, store);
  return async (caller) => {
    const { refusal } = await take(caller);
    if (refusal) throw refusal;
  };
}

/** A caller's state after one more request. */
export interface RateState {
  /** Values of the `RateLimit` and `RateLimit-Policy` headers. */
  readonly rateLimit: string;
  readonly policy: string;
  /** RATE_LIMITED, if this request exceeded the limit. */
  readonly refusal: PlatformError | undefined;
}

/** The same limit, for a door that writes its headers itself. */
export function rateCounter(limit: RateLimit, store: Store): (caller: Caller) => Promise<RateState> {
  void store.init?.({ windowMs: WINDOW_MILLIS } as Options);
  const policy = `"${limit.name}"; q=${limit.perMinute}; w=${WINDOW_MILLIS / 1000}`;
  return async (caller) => {
    const count = await Promise.resolve(store.increment(keyOf(limit, caller))).catch(() => undefined);
    const { totalHits, resetTime } = count ?? { totalHits: 0, resetTime: undefined };
    const left = Math.max(0, limit.perMinute - totalHits);
    return {
      rateLimit: `"${limit.name}"; r=${left}; t=${secondsUntil(resetTime)}`,
      policy,
      refusal: totalHits > limit.perMinute ? tooMany(limit.perMinute, resetTime) : undefined,
    };
  };
}

/** The caller who is counted. */
export interface Caller {
  readonly viewer: Viewer;
  readonly address: string;
}

function keyOf({ name, by }: Pick<RateLimit, 'name' | 'by'>, { viewer, address }: Caller): string {
  const place = ipKeyGenerator(address); // an IPv6 client owns a /56, not one address
  return `${name}:${by === 'address' ? `address:${place}` : callerOf(viewer, place)}`;
}

function tooMany(perMinute: number, resetTime: Date | undefined): PlatformError {
  const retryAfterSeconds = secondsUntil(resetTime);
  return new PlatformError(
    'RATE_LIMITED',
    `More than ${perMinute} requests in a minute; try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

const secondsUntil = (resetTime: Date | undefined): number =>
  Math.max(1, Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));

const WINDOW_MILLIS = 60_000; // 1 min
