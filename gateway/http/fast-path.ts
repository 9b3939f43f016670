import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Store } from 'express-rate-limit';
import { viewerOfRequest } from '#server/auth/authenticate.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { Viewer } from '#server/auth/viewer.ts';
import { refusalBody } from '#server/graphql/errors.ts';
import { answerTypeFor } from '#server/graphql/media-types.ts';
import { hasPlainJson, served } from '#server/http/fast-path.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { platformErrorOf } from '#server/rest/problem.ts';
import { rateCounter, type RateCounter, type RateLimit } from '#server/rest/rate-limit.ts';
import { httpContext, type GatewayContext } from '../context/gateway-context.ts';
import type { Graph } from '../operations/graph.ts';
import type { PersistedOperations } from '../operations/persisted-operations.ts';
import type { JsonAnswer } from '../operations/prepared-operation.ts';
import type { Router } from '../router-file/router.ts';
import type { GatewaySettings } from '../settings.ts';
import { leaveBody, readBody, type ReadBody } from '#server/http/read-body.ts';
import { incrementalFormatFor } from '../streams/incremental-format.ts';
import { RequestReader, type PreparedRequest } from './request-reader.ts';
import { ResponseWriter } from './response-writer.ts';

interface FastPathOptions {
  /** Handles every request that the fast path does not. */
  app: Express;
  graph: Graph;
  origins: RequestOrigins;
  persisted: PersistedOperations;
  verifier: TokenVerifier;
  settings: GatewaySettings;
  router: Router;
  metrics: Metrics;
  log: Logger;
  rateLimit: { limit: RateLimit; store: Store } | undefined;
}

/**
 * Handles a `POST /graphql` whose JSON body names a prepared operation, which is what clients send most of the time,
 * without Express and Apollo Server: these two cost more than the execution. Every other request, and every error before
 * the execution, goes to Express, so that only Express writes their responses.
 *
 * Written for speed: `npm run bench -- "platform small"`, 0.251 ms of CPU per request; Apollo's stack takes 1.913 ms
 * (docs/performance.md).
 */
export class FastPath {
  private readonly options: FastPathOptions;
  private readonly requests: RequestReader;
  private readonly writer: ResponseWriter;
  private readonly count: RateCounter | undefined;

  constructor(options: FastPathOptions) {
    const { graph, persisted, rateLimit, settings, metrics, log } = options;
    this.options = options;
    this.requests = new RequestReader(graph, persisted);
    this.writer = new ResponseWriter({ settings, metrics, log });
    this.count = rateLimit && rateCounter(rateLimit.limit, rateLimit.store);
  }

  /** Handles all requests that `RestProxies` passes on. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (!mayTakeFastPath(req)) return this.passToExpress(req, res);
    served(this.serve(req, res), res, this.options.log);
  };

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await readBody(req);
    if (!body) return void res.destroy(); // the client aborted the request
    const known = this.requests.remembered(body.text);
    const request = known ?? this.requests.read(body.text, parsed(body));
    const mediaType = answerTypeFor(req.headers);
    const context = request && mediaType && (await this.contextOf(req));
    if (!context || !isWithinLimitsOf(context.viewer, request) || hasInvalidKey(req, context))
      return this.passToExpress(req, res, body);
    if (request.operation.hasDefer && incrementalFormatFor(req.headers))
      return this.passToExpress(req, res, body);
    const state = await this.count?.(context);
    if (state?.refusal) return this.passToExpress(req, res, body); // Express counts the request, too, and refuses it
    const { operation, variables, rawVariables } = request;
    const response = { mediaType, context, state, startedAt, operation };
    this.writer.begin(req, response);
    const answer = await operation
      .toJson({ variables, rawVariables, context })
      .catch((error: unknown) => this.internalError(error, context));
    this.writer.write(req, res, response, answer);
  }

  /** An unexpected failure gets a response, because a closed connection would give the client no reason. */
  private internalError(error: unknown, { requestId }: GatewayContext): JsonAnswer {
    this.options.log.error({ err: error, requestId }, 'an operation could not be executed');
    return { json: JSON.stringify(refusalBody(platformErrorOf(error))) };
  }

  private passToExpress(req: IncomingMessage, res: ServerResponse, body?: ReadBody): void {
    if (body) leaveBody(req, body);
    this.options.app(req, res);
  }

  /** Undefined for an invalid token. */
  private async contextOf(req: IncomingMessage): Promise<GatewayContext | undefined> {
    const { origins, verifier, router } = this.options;
    const origin = origins.ofRequest(req);
    try {
      const viewer = await viewerOfRequest(req.headers, verifier);
      return httpContext(origin, viewer, req.headers, router.headerNames);
    } catch {
      return undefined;
    }
  }
}

/** The request was read with the limits of callers with a token; those without one have narrower limits. */
const isWithinLimitsOf = (viewer: Viewer, { operation, variables }: PreparedRequest): boolean =>
  viewer.kind !== 'anonymous' || operation.isForAnonymous(variables);

/** Express refuses an invalid key. */
const hasInvalidKey = ({ headers }: IncomingMessage, { keyed }: GatewayContext): boolean =>
  headers['idempotency-key'] !== undefined && keyed === undefined;

const mayTakeFastPath = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'POST' && url === '/graphql' && hasPlainJson(headers);

/** Undefined for text that Express refuses. */
function parsed(body: ReadBody): unknown {
  try {
    return body.json();
  } catch {
    return undefined;
  }
}
