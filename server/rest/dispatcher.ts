import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { Express } from 'express';
import { hasPlainJson, served } from '../http/fast-path.ts';
import { contextFor } from '../http/request-context.ts';
import { outcomeOf, requestLog } from '../http/request-log.ts';
import type { RequestOrigins } from '../http/request-origin.ts';
import { responseHeaders } from '../http/response-headers.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { classOfRequest } from '../observability/operation-class.ts';
import { withSpan } from '../observability/tracing.ts';
import type { ServerSettings } from '../settings.ts';
import { DispatchedExchange } from './dispatched-exchange.ts';
import { loggedError, problemMessage } from './problem.ts';
import type { HandledRoute } from './route-handler.ts';
import { RouteMatcher, type Match } from './route-matcher.ts';
import { extendProblems } from './problem-extension.ts';
import type { RestRoute } from './route.ts';

interface DispatcherOptions {
  /** The name of the service. */
  service: string;
  routes: readonly HandledRoute[];
  /** The app whose functions make and compare the `ETag`s of the answers. */
  app: Express;
  origins: RequestOrigins;
  log: Logger;
  metrics: Metrics;
  settings: Pick<ServerSettings, 'corsOrigins' | 'demo'>;
}

/** A request that is served without Express. */
interface Dispatched extends Match<HandledRoute> {
  readonly url: string;
  readonly path: string;
  readonly query: ParsedUrlQuery;
  readonly hasJson: boolean;
}

/** Visible ASCII characters without `#`: Express reads a query with other characters in a way of its own. */
const PLAIN_QUERY = /^[!"$-~]*$/;

/**
 * Serves the usual requests to the routes without Express, whose router and middleware cost more than most rules
 * (`npm run bench:rest`). Every other request passes to Express. Both call the same handlers.
 */
export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly routes: RouteMatcher<HandledRoute>;
  private readonly onEnd: ReturnType<typeof requestLog>;

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.onEnd = requestLog(options);
    // The matcher needs the routes that Express serves, too: otherwise /trainings/export.csv would match /trainings/:id.
    this.routes = new RouteMatcher(
      options.routes.map((target) => ({ method: target.route.method, path: target.route.path, target })),
    );
  }

  /** Serves the requests to the routes, and passes all others on. */
  listener(others: RequestListener): RequestListener {
    return (req, res) => {
      const request = this.read(req);
      if (!request) return others(req, res);
      served(this.serve(req, res, request), res, this.options.log);
    };
  }

  /** Undefined if Express has to serve the request. */
  private read({ method = '', url = '', headers }: IncomingMessage): Dispatched | undefined {
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const match = this.routes.find(method, path);
    if (!match || !isDispatched(match.target.route)) return undefined;
    const body = bodyOf(headers);
    if (body === 'unusual' || (body === 'json' && !match.target.route.body)) return undefined;
    const query = queryAt < 0 ? '' : url.slice(queryAt + 1);
    if (!PLAIN_QUERY.test(query)) return undefined;
    return { ...match, url, path, query: parse(query), hasJson: body === 'json' };
  }

  private async serve(req: IncomingMessage, res: ServerResponse, request: Dispatched): Promise<void> {
    const startedAt = performance.now();
    const { log, origins, settings, app, service } = this.options;
    const { route, handle } = request.target;
    const context = contextFor(req, res, log, origins);
    extendProblems(context, route, req.headers);
    const { id: requestId, origin } = context;
    const operation = `${route.method} ${route.path}`;
    const kind = classOfRequest(service, route.method, request.url);
    res.once('close', () =>
      this.onEnd({ door: 'rest', operation, kind, origin, startedAt, ...outcomeOf(res) }),
    );
    const headers = responseHeaders(req.headers.origin, settings);
    headers['X-Request-Id'] = requestId;
    const exchange = new DispatchedExchange({ ...request, req, res, context, headers, app });
    try {
      await withSpan(origin.span, () => handle(exchange));
    } catch (thrown) {
      const error = loggedError(thrown, context);
      if (res.headersSent) return void res.destroy();
      const problem = problemMessage(error, request.url, context);
      await exchange.send(problem.status, problem.headers, problem.body);
    }
  }
}

/** Whether requests to this route are served here: not those with files and streams, which only Express reads and sends. */
const isDispatched = ({ consumes, upload, success }: RestRoute<never>): boolean =>
  consumes === undefined &&
  (upload === undefined || upload.optional === true) &&
  success.contentType === undefined &&
  !success.streamed;

function bodyOf(headers: IncomingHttpHeaders): 'none' | 'json' | 'unusual' {
  if (headers['transfer-encoding'] !== undefined) return 'unusual';
  const length = headers['content-length'];
  if (length === undefined || (length === '0' && headers['content-type'] === undefined)) return 'none';
  return length !== '0' && hasPlainJson(headers) ? 'json' : 'unusual';
}
