import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import cors from 'cors';
import type { ServerSettings } from '../settings.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** The version of the REST interface, sent as `API-Version` in every answer. A breaking change would get the path prefix `/v2`. */
export const API_VERSION = 1;

/** The platform's own headers that a page of another origin may read. */
const EXPOSED_HEADERS = [
  'API-Version',
  'ETag',
  'Idempotency-Replayed',
  'Incomplete',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
].join(',');

const FOR_EVERY_ORIGIN: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'API-Version': String(API_VERSION),
  Vary: 'Origin',
};

type CorsSettings = Pick<ServerSettings, 'corsOrigins' | 'demo'>;

/** The headers that every response of the platform has, for a request with this `Origin`; code that answers may add others. */
export const responseHeaders = (origin: string | undefined, settings: CorsSettings): Record<string, string> =>
  origin !== undefined && isAllowedOrigin(origin, settings)
    ? {
        ...FOR_EVERY_ORIGIN,
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Expose-Headers': EXPOSED_HEADERS,
      }
    : { ...FOR_EVERY_ORIGIN };

/** Sets the headers of `responseHeaders`, and answers the preflight requests of browsers. */
export function withResponseHeaders(settings: CorsSettings): RequestHandler {
  const preflight = cors({
    origin: (origin, allow) => allow(null, origin !== undefined && isAllowedOrigin(origin, settings)),
    credentials: true,
    maxAge: 600, // 10 min
  });
  return (req, res, next) => {
    res.setHeaders(new Map(Object.entries(responseHeaders(req.headers.origin, settings))));
    if (isPreflight(req)) preflight(req, res, next);
    else next();
  };
}

/** Whether a browser asks before a request of another origin (the CORS protocol of the Fetch standard). */
export const isPreflight = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Whether a browser page of that origin may call. Configured origins may; with demo data, so may every page of this machine. */
export function isAllowedOrigin(origin: string, settings: CorsSettings): boolean {
  if (settings.corsOrigins.includes(origin)) return true;
  return settings.demo && /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}
