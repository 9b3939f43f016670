import compression from 'compression';
import cors from 'cors';
import express, { type Express } from 'express';
import helmet from 'helmet';
import { withoutRedaction, type Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServerSettings } from '../settings.ts';
import { contextOf, operationOf, requestContext } from './request-context.ts';
import type { RequestOrigins } from './request-origin.ts';

/** The version of the REST interface, sent in every answer's `API-Version`. A breaking change would get a path prefix `/v2`. */
export const API_VERSION = 1;

/** An express application with what every server of the platform has: request id, log line, metrics, security headers, CORS, compression. */
export function createApp(
  settings: ServerSettings,
  { origins, log, metrics }: { origins: RequestOrigins; log: Logger; metrics: Metrics },
): Express {
  const app = express();
  const requests = withoutRedaction(log);
  app.disable('x-powered-by');
  app.set('trust proxy', origins.isTrusted);
  app.set('query parser', 'simple');
  app.use(requestContext(log, origins));
  app.use((req, res, next) => {
    const startedAt = performance.now();
    res.setHeader('API-Version', String(API_VERSION));
    res.once('close', () => {
      const seconds = (performance.now() - startedAt) / 1000;
      const operation = operationOf(req);
      metrics.requestDone(req.path === '/graphql' ? 'graphql' : 'rest', operation, res.statusCode, seconds);
      const { id: requestId, traceparent } = contextOf(res);
      requests.info(
        {
          requestId,
          traceId: traceparent.slice(3, 35),
          operation,
          status: res.statusCode,
          millis: Math.round(seconds * 1000),
          aborted: !res.writableFinished || undefined,
        },
        'request',
      );
    });
    next();
  });
  app.use(securityHeaders());
  app.use(
    cors({
      origin: (origin, allow) => allow(null, origin !== undefined && isAllowedOrigin(origin, settings)),
      credentials: true,
      maxAge: 600,
      exposedHeaders: EXPOSED_HEADERS,
    }),
  );
  app.use(compression());
  return app;
}

/** Sets the headers that make browsers protect the platform's pages. */
export const securityHeaders = () =>
  helmet({
    contentSecurityPolicy: {
      directives: {
        'img-src': ["'self'", 'data:', 'blob:'],
        'worker-src': ["'self'", 'blob:'],
        'connect-src': ["'self'", 'ws:', 'wss:'],
        'upgrade-insecure-requests': null, // pages are served over plain HTTP inside a network, too
      },
    },
    crossOriginResourcePolicy: { policy: 'cross-origin' }, // avatars and media are shown by front ends of other origins
  });

/** The platform's own headers that a page of another origin may read. */
export const EXPOSED_HEADERS = [
  'API-Version',
  'ETag',
  'Idempotency-Replayed',
  'Incomplete',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
];

/** Whether a browser page of that origin may call: the configured origins; with demo data every page of this machine. */
export function isAllowedOrigin(
  origin: string,
  settings: Pick<ServerSettings, 'corsOrigins' | 'demo'>,
): boolean {
  if (settings.corsOrigins.includes(origin)) return true;
  return settings.demo && /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}
