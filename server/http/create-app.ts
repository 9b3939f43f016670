import express, { type Express } from 'express';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServerSettings } from '../settings.ts';
import { compressedResponses } from './compression.ts';
import { contextOf, operationOf, requestContext } from './request-context.ts';
import { outcomeOf, requestLog } from './request-log.ts';
import type { RequestOrigins } from './request-origin.ts';
import { withResponseHeaders } from './response-headers.ts';

/**
 * An express application with the middleware of every server of the platform: request id, log line, metrics, security
 * headers, CORS, compression.
 */
export function createApp(
  settings: ServerSettings,
  { origins, log, metrics }: { origins: RequestOrigins; log: Logger; metrics: Metrics },
): Express {
  const app = express();
  const onEnd = requestLog({ log, metrics });
  app.disable('x-powered-by');
  app.set('trust proxy', origins.isTrusted);
  app.set('query parser', 'simple');
  app.use(requestContext(log, origins));
  app.use((req, res, next) => {
    const startedAt = performance.now();
    const door = req.path === '/graphql' ? 'graphql' : 'rest'; // read here, because a router that is mounted at a path removes that path from `req.path`
    res.once('close', () => {
      const { id: requestId, traceparent } = contextOf(res);
      onEnd({ door, operation: operationOf(req), requestId, traceparent, startedAt, ...outcomeOf(res) });
    });
    next();
  });
  app.use(withResponseHeaders(settings));
  app.use(compressedResponses());
  return app;
}
