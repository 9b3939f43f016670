import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { Store } from 'express-rate-limit';
import { viewerOfRequest } from '#server/auth/authenticate.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { Viewer } from '#server/auth/viewer.ts';
import { INTERNAL_MESSAGE } from '#server/errors.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { rateCounter, type RateLimit, type RateState } from '#server/rest/rate-limit.ts';
import { httpContext, type GatewayContext } from '../context/gateway-context.ts';
import { NOT_JSON } from '../limits/operation-checks.ts';
import type { Graph } from '../operations/graph.ts';
import type { PersistedOperations } from '../operations/persisted-operations.ts';
import type { JsonAnswer } from '../operations/prepared-operation.ts';
import type { GatewaySettings } from '../settings.ts';
import { readBody } from './read-body.ts';
import { RequestReader, type PreparedRequest } from './request-reader.ts';
import { ResponseWriter } from './response-writer.ts';

export interface FastPathOptions {
  /** Handles every request that the fast path does not. */
  app: Express;
  graph: Graph;
  origins: RequestOrigins;
  persisted: PersistedOperations;
  verifier: TokenVerifier;
  settings: GatewaySettings;
  metrics: Metrics;
  log: Logger;
  rateLimit: { limit: RateLimit; store: Store } | undefined;
}

const MAX_BODY_BYTES = 1024 * 1024; // 1 MiB
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'application/json': 'application/json; charset=utf-8',
  '*/*': 'application/json; charset=utf-8',
  'application/graphql-response+json': 'application/graphql-response+json; charset=utf-8',
};
/** The media type of a response to a request without `Accept`. */
const DEFAULT_MEDIA_TYPE = 'application/json';

/**
 * Handles a `POST /graphql` whose JSON body names a prepared operation, which is what clients send most of the time,
 * without Express and Apollo Server: these two cost more than the execution. Every other request, and every error before
 * the execution, goes to Express, so that only one place writes such responses.
 *
 * Written for speed: `npm run bench -- "platform small"`, 0.251 ms of CPU a request; Apollo's stack takes 1.913 ms
 * (docs/performance.md).
 */
export class FastPath {
  private readonly options: FastPathOptions;
  private readonly requests: RequestReader;
  private readonly writer: ResponseWriter;
  private readonly count: ((caller: { viewer: Viewer; address: string }) => Promise<RateState>) | undefined;

  constructor(options: FastPathOptions) {
    const { graph, persisted, rateLimit, settings, metrics, log } = options;
    this.options = options;
    this.requests = new RequestReader(graph, persisted);
    this.writer = new ResponseWriter({ settings, metrics, log });
    this.count = rateLimit && rateCounter(rateLimit.limit, rateLimit.store);
  }

  /** The HTTP server's only request listener. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (!mayTakeFastPath(req)) return this.passToExpress(req, res);
    this.serve(req, res).catch((error: unknown) => {
      this.options.log.error({ err: error }, 'the fast path failed');
      res.destroy();
    });
  };

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const text = await readBody(req);
    if (text === undefined) return void res.destroy(); // the client broke the request off
    const known = this.requests.remembered(text);
    const body = known ? undefined : parsed(text);
    const request = known ?? this.requests.read(text, body);
    const context = request && (await this.contextOf(req));
    if (!request || !context || !isWithinLimitsOf(context.viewer, request) || hasInvalidKey(req, context))
      return this.passToExpress(req, res, body ?? parsed(text));
    const state = await this.count?.(context);
    if (state?.refusal) return this.passToExpress(req, res, body ?? parsed(text)); // which counts and refuses it, too
    const { operation, variables, rawVariables } = request;
    const mediaType = MEDIA_TYPES[req.headers.accept ?? DEFAULT_MEDIA_TYPE] ?? '';
    const response = { mediaType, context, state, startedAt };
    this.writer.begin(req, response);
    const answer = await operation
      .toJson({ variables, rawVariables, context })
      .catch((error: unknown) => this.internalError(error, context));
    this.writer.write(req, res, response, answer);
  }

  /** An unexpected failure gets a response, because a closed connection would give the client no reason. */
  private internalError(error: unknown, { requestId }: GatewayContext): JsonAnswer {
    this.options.log.error({ err: error, requestId }, 'an operation could not be executed');
    const extensions = { code: 'INTERNAL', http: { status: 500 } };
    return { json: JSON.stringify({ errors: [{ message: INTERNAL_MESSAGE, extensions }] }) };
  }

  private passToExpress(req: IncomingMessage, res: ServerResponse, body?: unknown): void {
    // Express's own parser also leaves the body in this property.
    if (body !== undefined) Object.assign(req, { body });
    this.options.app(req, res);
  }

  /** Undefined for an invalid token. */
  private async contextOf(req: IncomingMessage): Promise<GatewayContext | undefined> {
    const origin = this.options.origins.of(req);
    try {
      return httpContext(origin, await viewerOfRequest(req.headers, this.options.verifier), req.headers);
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

function mayTakeFastPath({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/graphql') return false;
  const type = headers['content-type'];
  return (
    (type === 'application/json' || type === 'application/json; charset=utf-8') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= MAX_BODY_BYTES &&
    (headers.accept ?? DEFAULT_MEDIA_TYPE) in MEDIA_TYPES
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
