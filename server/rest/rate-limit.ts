import type { RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, type Options, type Store } from 'express-rate-limit';
import type { Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import { contextOf } from '../http/request-context.ts';
import { callerOf } from './idempotency.ts';

export interface RateLimit {
  /** The name of the limit in the `RateLimit` headers, and its prefix in the store. */
  name: string;
  perMinute: number;
  /** `caller` counts by the user or machine client, or by the address of an anonymous caller; `address` by the address. */
  by: 'caller' | 'address';
}

/**
 * Returns a function that returns the counter of a limit, or of the general limit if a route has no limit of its own;
 * undefined if requests are not limited. Limits with the same name are counted together.
 */
export function rateCounters(
  generalPerMinute: number | undefined,
  storeOf: (name: string) => Store,
): (limit: RateLimit | undefined) => RateCounter | undefined {
  const known = new Map<string, RateCounter>();
  return (limit) => {
    if (generalPerMinute === undefined) return undefined;
    const { name, ...rate } = limit ?? { name: 'general', perMinute: generalPerMinute, by: 'caller' };
    const counter = known.get(name) ?? rateCounter({ name, ...rate }, storeOf(name));
    known.set(name, counter);
    return counter;
  };
}

interface RateLimitOptions extends RateLimit {
  /** The store of the counts; replicas that share it count together. Default: the memory of this process. */
  store?: Store | undefined;
}

/**
 * Limits the requests per minute, and sends the `RateLimit` and `RateLimit-Policy` headers
 * (IETF draft-ietf-httpapi-ratelimit-headers-08). Requests above the limit get 429 with `Retry-After`.
 */
export function rateLimited({ store = new MemoryStore(), ...limit }: RateLimitOptions): RequestHandler {
  const count = rateCounter(limit, store);
  return async (_req, res, next) => {
    const { headers, refusal } = await count(contextOf(res));
    res.set(headers);
    if (refusal) throw refusal;
    next();
  };
}

/** Returns a function that counts one use of a graph field, and throws RATE_LIMITED if the limit is exceeded. */
export function fieldUseCounter(limit: RateLimit, store: Store): (caller: Caller) => Promise<void> {
  const count = rateCounter(limit, store);
  return async (caller) => {
    const { refusal } = await count(caller);
    if (refusal) throw refusal;
  };
}

/** A caller's state after one more request. */
export interface RateState {
  /** The `RateLimit` and `RateLimit-Policy` headers; none if the request was not counted. */
  readonly headers: Readonly<Record<string, string>>;
  /** RATE_LIMITED, if this request exceeded the limit. */
  readonly refusal: PlatformError | undefined;
}

export type RateCounter = (caller: Caller) => Promise<RateState>;

const UNCOUNTED: RateState = { headers: {}, refusal: undefined };

/**
 * Returns a function that counts one request against the limit, for a door that writes the headers itself. The platform's
 * own services are not counted by caller, because they send requests for all users, who were counted where their requests
 * arrived. If the store fails, requests are not counted, so that the service continues.
 */
export function rateCounter(limit: RateLimit, store: Store): RateCounter {
  const { name, perMinute, by } = limit;
  void store.init?.({ windowMs: WINDOW_MILLIS } as Options);
  const policy = `"${name}"; q=${perMinute}; w=${WINDOW_MILLIS / 1000}`;
  return async (caller) => {
    if (by === 'caller' && caller.viewer.kind === 'service') return UNCOUNTED;
    const count = await Promise.resolve(store.increment(keyOf(limit, caller))).catch(() => undefined);
    if (!count) return UNCOUNTED;
    const { totalHits, resetTime } = count;
    const left = Math.max(0, perMinute - totalHits);
    return {
      headers: {
        RateLimit: `"${name}"; r=${left}; t=${secondsUntil(resetTime)}`,
        'RateLimit-Policy': policy,
      },
      refusal: totalHits > perMinute ? tooMany(perMinute, resetTime) : undefined,
    };
  };
}

/** The caller of the request that is counted. */
interface Caller {
  readonly viewer: Viewer;
  readonly address: string;
}

function keyOf({ name, by }: Pick<RateLimit, 'name' | 'by'>, { viewer, address }: Caller): string {
  const network = ipKeyGenerator(address); // an IPv6 client owns a /56, not one address
  return `${name}:${by === 'address' ? `address:${network}` : callerOf(viewer, network)}`;
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
