import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { viewerOfRequest } from '../../auth/authenticate.ts';
import type { TokenVerifier } from '../../auth/token-verifier.ts';
import type { Viewer } from '../../auth/viewer.ts';
import { hasPlainJson, served } from '../../http/fast-path.ts';
import { leaveBody, readBody, type ReadBody } from '../../http/read-body.ts';
import { originOf } from '../../http/request-context.ts';
import { outcomeOf, requestLog } from '../../http/request-log.ts';
import type { RequestOrigins } from '../../http/request-origin.ts';
import { responseHeaders } from '../../http/response-headers.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { withSpan } from '../../observability/tracing.ts';
import type { RateCounter, RateState } from '../../rest/rate-limit.ts';
import type { ServerSettings } from '../../settings.ts';
import type { Origin } from '../../unit-of-work.ts';
import { formatGraphqlError } from '../errors.ts';
import { hasServerError } from '../graph-facts.ts';
import type { PreparedExecution } from '../executor/compiled-query.ts';
import { visibleErrors } from '../introspection.ts';
import { answerTypeFor } from '../media-types.ts';
import type { OperationChecks } from '../operation-checks.ts';
import { sendAnswer } from '../send-answer.ts';
import type { KnownQueries, KnownQuery } from './known-queries.ts';
import { enriched, responseOf } from './response.ts';

export interface FastPathOptions {
  /** Handles every request that the fast path does not. */
  app: RequestListener;
  queries: KnownQueries;
  checks: OperationChecks;
  verifier: TokenVerifier;
  origins: RequestOrigins;
  log: Logger;
  metrics: Metrics;
  /** Counts a request against the general limit; undefined without limits. */
  count: RateCounter | undefined;
  settings: Pick<ServerSettings, 'corsOrigins' | 'demo'>;
  /** The context of the resolvers. */
  contextOf(viewer: Viewer, origin: Origin): object;
}

const OPERATION = 'POST /graphql';

/** The used parts of a request's body. */
interface GraphRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A request that has passed all checks, with its caller. */
interface Admitted {
  readonly prepared: PreparedExecution;
  readonly viewer: Viewer;
  readonly origin: Origin;
  readonly state: RateState | undefined;
}

/**
 * Handles a `POST /graphql` with a known query, which is nearly all that a gateway sends, without Express and Apollo
 * Server: these two cost more than the execution (`npm run bench:services`). Every other request, and every refusal, goes
 * to Express, so that only one place writes such responses.
 */
export class FastPath {
  private readonly options: FastPathOptions;
  private readonly onEnd: ReturnType<typeof requestLog>;

  constructor(options: FastPathOptions) {
    this.options = options;
    this.onEnd = requestLog(options);
  }

  /** Handles all requests that the REST dispatcher passes on. */
  readonly listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (!mayTakeFastPath(req)) return this.options.app(req, res);
    served(this.serve(req, res), res, this.options.log);
  };

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const body = await readBody(req);
    if (!body) return void res.destroy(); // the client aborted the request
    const mediaType = answerTypeFor(req.headers);
    const admitted = mediaType === undefined ? undefined : await this.admit(body, req, res);
    const running = admitted && this.execution(admitted);
    if (!running || mediaType === undefined) {
      leaveBody(req, body);
      return this.options.app(req, res);
    }
    const { origin } = admitted;
    let hasFailed = false;
    // The listener is added before the answer exists, because the client may leave earlier.
    res.once('close', () =>
      this.onEnd({
        door: 'graphql',
        operation: OPERATION,
        kind: 'read',
        origin,
        startedAt,
        hasFailed,
        ...outcomeOf(res),
      }),
    );
    const result = running.result instanceof Promise ? await running.result : running.result;
    const errors = result.errors.length > 0 ? this.formatted(result.errors, admitted.viewer) : [];
    hasFailed = hasServerError(errors);
    this.write(
      req,
      res,
      { ...admitted, mediaType },
      responseOf(result, () => errors),
    );
  }

  /**
   * Checks a request, and counts it for the rate limit; undefined if Express has to handle it. The count is the last step, because
   * Express counts the requests that it handles itself.
   */
  private async admit(
    body: ReadBody,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<Admitted | undefined> {
    const { queries, verifier, origins, count } = this.options;
    const request = graphRequestIn(body);
    const known = request && queries.of(request.query, request.operationName);
    if (!known) return undefined;
    const viewer = await viewerOfRequest(req.headers, verifier).catch(() => undefined);
    if (!viewer || !this.isAllowed(known, request, viewer)) return undefined;
    const prepared = known.query.prepare(request.variables);
    if (!prepared) return undefined;
    const origin = originOf(req, res, origins);
    const state = await count?.({ viewer, address: origin.address });
    return state?.refusal ? undefined : { prepared, viewer, origin, state };
  }

  private isAllowed(
    { document, operation }: KnownQuery,
    { query, variables }: GraphRequest,
    viewer: Viewer,
  ): boolean {
    try {
      this.options.checks.checkText(query, viewer);
      this.options.checks.checkOperation(document, operation, variables, viewer);
      return true;
    } catch {
      return false;
    }
  }

  /** Begins the execution; undefined if no context could be made, and Express has to report why. */
  private execution({ prepared, viewer, origin }: Admitted) {
    let context: object;
    try {
      context = this.options.contextOf(viewer, origin);
    } catch {
      return undefined;
    }
    return { result: withSpan(origin.span, () => prepared.execute(context)) };
  }

  private write(
    req: IncomingMessage,
    res: ServerResponse,
    { origin, state, mediaType }: Admitted & { mediaType: string },
    response: ReturnType<typeof responseOf>,
  ): void {
    const headers = responseHeaders(req.headers.origin, this.options.settings);
    headers['X-Request-Id'] = origin.requestId;
    headers['Content-Type'] = mediaType;
    headers.Vary += ', Accept-Encoding'; // as `compression` does behind Express
    if (state) Object.assign(headers, state.headers);
    sendAnswer(req, res, { ...response, headers });
  }

  private formatted(errors: readonly GraphQLError[], viewer: Viewer): readonly GraphQLFormattedError[] {
    const { log, checks } = this.options;
    const formatted = errors.map((error) => formatGraphqlError(enriched(error), error, log));
    return visibleErrors(formatted, viewer, checks.introspection);
  }
}

const mayTakeFastPath = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'POST' && url === '/graphql' && hasPlainJson(headers);

function graphRequestIn(read: ReadBody): GraphRequest | undefined {
  let body: unknown;
  try {
    body = read.json();
  } catch {
    return undefined; // Express refuses it
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const {
    query,
    operationName = null,
    variables = null,
    extensions = null,
  } = body as Record<string, unknown>;
  if (typeof query !== 'string' || extensions !== null) return undefined;
  if (operationName !== null && (typeof operationName !== 'string' || operationName === '')) return undefined;
  if (typeof variables !== 'object' || Array.isArray(variables)) return undefined;
  return {
    query,
    operationName: operationName ?? undefined,
    variables: (variables ?? {}) as Record<string, unknown>,
  };
}
