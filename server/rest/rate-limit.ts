import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit, type Store } from 'express-rate-limit';
import { PlatformError } from '../errors.ts';
import { contextOf } from '../http/request-context.ts';
import { callerOf } from './idempotency.ts';

export interface RateLimitOptions {
  /** Names the limit in the `RateLimit` headers and apart from other limits in the store. */
  name: string;
  perMinute: number;
  /** `caller`: the user, else the address. `address`: always the address. */
  by: 'caller' | 'address';
  /** Counts for all replicas together; absent: in this process. */
  store?: Store | undefined;
}

/** Requests a minute, told by the `RateLimit` and `RateLimit-Policy` headers (IETF draft-ietf-httpapi-ratelimit-headers-08); beyond it 429 with `Retry-After`. */
export function rateLimited({ name, perMinute, by, store }: RateLimitOptions): RequestHandler {
  return rateLimit({
    windowMs: 60_000, // 1 min
    limit: perMinute,
    identifier: name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    ...(store && { store }),
    // A store that fails must not take the service down with it: requests pass uncounted.
    passOnStoreError: true,
    keyGenerator: (_req, res) => {
      const { viewer, address } = contextOf(res as never);
      const place = ipKeyGenerator(address); // an IPv6 client owns a /56, not one address
      return `${name}:${by === 'address' ? `address:${place}` : callerOf(viewer, place)}`;
    },
    handler: (req, _res, next) => {
      const resetTime = (req as { rateLimit?: { resetTime?: Date } }).rateLimit?.resetTime;
      const retryAfterSeconds = Math.max(
        1,
        Math.ceil(((resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000),
      );
      next(
        new PlatformError(
          'RATE_LIMITED',
          `More than ${perMinute} requests in a minute; go on in ${retryAfterSeconds} s.`,
          { retryAfterSeconds },
        ),
      );
    },
  });
}
