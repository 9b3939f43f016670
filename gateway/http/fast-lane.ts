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
import type { GatewaySettings } from '../settings.ts';
import { readBody } from './read-body.ts';
import { WaitingClient } from '../context/waiting-client.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { Graph } from '../operations/graph.ts';
import { keyedOperationOf } from '../context/keyed-operation.ts';
import { NOT_JSON } from '../limits/operation-checks.ts';
import type { PersistedOperations } from '../operations/persisted-operations.ts';
import type { JsonAnswer } from '../operations/prepared-operation.ts';
import { RequestReader, type PreparedRequest } from './request-reader.ts';
import { ResponseWriter } from './response-writer.ts';

export interface FastLaneOptions {
  /** Where everything goes that is not plain. */
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
const ABSENT = 'application/json';

/**
 * `POST /graphql` with a JSON body that names an operation which has been asked for before: what clients send all day.
 * It is read, checked and answered here without express and Apollo Server, which cost more than the execution itself;
 * whatever is out of the ordinary in it (and every error before the execution) is theirs, so that there is one place
 * where such things are answered.
 */
export class FastLane {
  private readonly options: FastLaneOptions;
  private readonly requests: RequestReader;
  private readonly writer: ResponseWriter;
  private readonly count: ((caller: { viewer: Viewer; address: string }) => Promise<RateState>) | undefined;

  constructor(options: FastLaneOptions) {
    const { graph, persisted, rateLimit, settings, metrics, log } = options;
    this.options = options;
    this.requests = new RequestReader(graph, persisted);
    this.writer = new ResponseWriter({ settings, metrics, log });
    this.count = rateLimit && rateCounter(rateLimit.limit, rateLimit.store);
  }

  /** Every request of the server; those that are not for here go on to the application. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (!isPlain(req)) return this.leave(req, res);
    this.serve(req, res).catch((error: unknown) => {
      this.options.log.error({ err: error }, 'the fast lane failed');
      res.destroy();
    });
  };

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const text = await readBody(req);
    if (text === undefined) return void res.destroy(); // broken off: there is nobody to answer
    const known = this.requests.known(text);
    const body = known ? undefined : parsed(text);
    const request = known ?? this.requests.read(text, body);
    const context = request && (await this.contextOf(req));
    if (!request || !context || !isFor(context.viewer, request) || isNoKey(req, context))
      return this.leave(req, res, body ?? parsed(text));
    const state = await this.count?.(context);
    if (state?.refusal) return this.leave(req, res, body ?? parsed(text)); // counted and refused once more there
    const { operation, variables, rawVariables } = request;
    const mediaType = MEDIA_TYPES[req.headers.accept ?? ABSENT] ?? '';
    const response = { mediaType, context, state, startedAt };
    this.writer.begin(req, response);
    const answer = await operation
      .toJson({ variables, rawVariables, context })
      .catch((error: unknown) => this.failed(error, context));
    this.writer.write(req, res, response, answer);
  }

  /** A failure of ours is an answer, too: a connection that only closes tells a client nothing. */
  private failed(error: unknown, { requestId }: GatewayContext): JsonAnswer {
    this.options.log.error({ err: error, requestId }, 'an operation could not be executed');
    const extensions = { code: 'INTERNAL', http: { status: 500 } };
    return { json: JSON.stringify({ errors: [{ message: INTERNAL_MESSAGE, extensions }] }) };
  }

  private leave(req: IncomingMessage, res: ServerResponse, body?: unknown): void {
    // What has been read already is put where express's own parser leaves it.
    if (body !== undefined) Object.assign(req, { body });
    this.options.app(req, res);
  }

  /** Undefined for a token that is not valid. */
  private async contextOf(req: IncomingMessage): Promise<GatewayContext | undefined> {
    const origin = this.options.origins.of(req);
    try {
      const viewer = await viewerOfRequest(req.headers, this.options.verifier);
      const keyed = keyedOperationOf(req.headers['idempotency-key']);
      return { ...origin, viewer, client: new WaitingClient(), keyed };
    } catch {
      return undefined;
    }
  }
}

/** The limits of a caller without a token are narrower than those that the request was read with. */
const isFor = (viewer: Viewer, { operation, variables }: PreparedRequest): boolean =>
  viewer.kind !== 'anonymous' || operation.isForAnonymous(variables);

/** Express refuses it. */
const isNoKey = ({ headers }: IncomingMessage, { keyed }: GatewayContext): boolean =>
  headers['idempotency-key'] !== undefined && keyed === undefined;

function isPlain({ method, url, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || url !== '/graphql') return false;
  const type = headers['content-type'];
  return (
    (type === 'application/json' || type === 'application/json; charset=utf-8') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= MAX_BODY_BYTES &&
    (headers.accept ?? ABSENT) in MEDIA_TYPES
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
