import express, { type Express } from 'express';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { classOfRequest } from '../observability/operation-class.ts';
import type { ServerSettings } from '../settings.ts';
import { compressedResponses } from './compression.ts';
import { contextOf, operationOf, requestContext } from './request-context.ts';
import { outcomeOf, requestLog } from './request-log.ts';
import type { RequestOrigins } from './request-origin.ts';
import { withResponseHeaders } from './response-headers.ts';

interface AppOptions {
  /** The name of the server. */
  service: string;
  origins: RequestOrigins;
  log: Logger;
  metrics: Metrics;
}

/**
 * An express application with the middleware of every server of the platform: request id, log line, metrics, security
 * headers, CORS, compression.
 */
export function createApp(settings: ServerSettings, { service, origins, log, metrics }: AppOptions): Express {
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
      const { origin, graph, operation = operationOf(req) } = contextOf(res);
      const kind = graph?.kind ?? classOfRequest(service, req.method, req.originalUrl);
      onEnd({ door, operation, origin, startedAt, ...graph, kind, ...outcomeOf(res) });
    });
    next();
  });
  app.use(withResponseHeaders(settings));
  app.use(compressedResponses());
  return app;
}
