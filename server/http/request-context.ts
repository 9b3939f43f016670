import { randomFillSync, randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ANONYMOUS, type Viewer } from '../auth/viewer.ts';
import { logOfRequest, type Logger } from '../observability/logger.ts';

/** What is known of a request before any rule sees it. */
export interface RequestContext {
  /** `X-Request-Id`, taken over from the caller where it is a sane one. */
  readonly id: string;
  /** W3C Trace Context to pass on: the caller's trace, a span of our own. */
  readonly traceparent: string;
  /** The `Authorization` value, for calls in the caller's name. */
  readonly authorization: string | undefined;
  /** The client's address, by the trusted proxies' word where there are some. */
  readonly address: string;
  /** `User-Agent`, cut to 256 characters. */
  readonly userAgent: string;
  readonly log: Logger;
  viewer: Viewer;
}

/** Gives every request its id, trace, log and (until authentication) an anonymous viewer. */
export function requestContext(log: Logger): RequestHandler {
  return (req, res, next) => {
    const id = requestIdOf(req.headers['x-request-id']);
    const traceparent = continued(req.headers.traceparent);
    let ownLog: Logger | undefined;
    res.locals.context = {
      id,
      traceparent,
      authorization: req.headers.authorization,
      address: req.ip ?? '',
      userAgent: (req.headers['user-agent'] ?? '').slice(0, 256),
      get log() {
        return (ownLog ??= logOfRequest(log, id, traceparent));
      },
      viewer: ANONYMOUS,
    } satisfies RequestContext;
    res.setHeader('X-Request-Id', id);
    next();
  };
}

export const contextOf = (res: Response): RequestContext => res.locals.context as RequestContext;

/** `POST /locations/check-in`, for log lines and metrics: the declared path, so that ids do not make a label each. */
export const operationOf = (req: Request): string =>
  `${req.method} ${(req.route as { path?: string } | undefined)?.path ?? (req.baseUrl || 'unmatched')}`;

/** The caller's `X-Request-Id` where it is a sane one, else a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();

/** A `traceparent` of version 00 (W3C Trace Context, section 3.2): same trace id and flags, a new span id. */
export function continued(header: string | string[] | undefined): string {
  const span = randomHex(8);
  const given =
    typeof header === 'string' ? /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/.exec(header) : null;
  if (given && !/^0+$/.test(given[1] ?? '')) return `00-${given[1]}-${span}-${given[2]}`;
  return `00-${randomHex(16)}-${span}-00`;
}

const STOCK_BYTES = 4_096;
const stock = Buffer.alloc(STOCK_BYTES);
let used = STOCK_BYTES;

/** So many random bytes as hexadecimal digits; taken from a stock, as each call for randomness costs more than it gives. */
function randomHex(bytes: number): string {
  if (used + bytes > STOCK_BYTES) {
    randomFillSync(stock);
    used = 0;
  }
  used += bytes;
  return stock.toString('hex', used - bytes, used);
}
