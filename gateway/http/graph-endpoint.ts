import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import type { Express, RequestHandler } from 'express';
import type { Store } from 'express-rate-limit';
import type { GraphQLSchema } from 'graphql';
import { authenticated, optionalAuth } from '#server/auth/authenticate.ts';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { answerOf } from '#server/graphql/apollo-answer.ts';
import { acceptableAnswer } from '#server/graphql/media-types.ts';
import { graphqlErrorHandler } from '#server/graphql/subgraph-endpoint.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import { rateCounter, rateLimited, type RateLimit } from '#server/rest/rate-limit.ts';
import type { RateLimitStores } from '#server/rest/rate-limit-store.ts';
import { permissionOf } from '../authorization/permission.ts';
import { httpContext, type GatewayContext } from '../context/gateway-context.ts';
import { anonymousLimitsOf } from '../limits/anonymous-limits.ts';
import { operationChecks } from '../limits/operation-checks.ts';
import { Graph, type GraphOptions } from '../operations/graph.ts';
import { PersistedOperations, readManifest, type SharedTexts } from '../operations/persisted-operations.ts';
import { shownError } from '../response/client-error.ts';
import type { GatewaySettings } from '../settings.ts';
import { HttpSubgraph } from '../subgraphs/http-subgraph.ts';
import { SubgraphRequestCounts } from '../subgraphs/subgraph-request-counts.ts';
import type { PlatformHeaders } from '../subgraphs/platform-headers.ts';
import { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import { isOwnSupergraph, readyUrlOf, subgraphUrls, timeLimitsOf } from '../supergraph/subgraph-urls.ts';
import type { SupergraphSource } from '../supergraph/supergraph-source.ts';
import { socketOperations } from '../websocket/socket-operations.ts';
import type { SocketGraph } from '../websocket/websocket-server.ts';
import type { Writes } from '../writes/writes.ts';
import { graphServer } from './apollo-server.ts';
import { FastPath } from './fast-path.ts';
import {
  checkIdempotencyKey,
  countBatch,
  explorerForBrowsers,
  jsonOrUpload,
  negotiatedError,
} from './middleware.ts';
import { jsonBody } from '#server/http/read-body.ts';
import { sendAnswer } from '#server/graphql/send-answer.ts';
import { multipartRequests } from './uploads.ts';

export interface GraphEndpointOptions {
  settings: GatewaySettings;
  supergraph: SupergraphSource;
  verifier: TokenVerifier;
  rateLimitStores: RateLimitStores;
  metrics: Metrics;
  origins: RequestOrigins;
  /** Mutations of all replicas of the gateway. */
  writes: Writes;
  /** Automatic persisted queries of all replicas of the gateway; undefined if each knows only its own. */
  sharedTexts: SharedTexts | undefined;
  /** Client-credentials tokens of the service `gateway`. */
  tokens: ServiceTokens;
  platformHeaders: PlatformHeaders;
  log: Logger;
}

/** The limit for the graph as a whole. The services limit single fields in addition. */
const RATE_LIMIT: RateLimit = { name: 'graphql', perMinute: 600, by: 'caller' };
/** The maximum number of elements in a page of the platform's services, whatever `first` or `limit` says. */
const MAX_PAGE = 200;
const MAX_FILES = 10;

interface GraphEndpoint {
  /** Handles every HTTP request of the server: in the fast path, or in the application. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void;
  /** The same graph for the WebSocket door. */
  readonly socketGraph: SocketGraph;
  /** The schema that clients see now. */
  apiSchema(): GraphQLSchema;
  stop(): Promise<void>;
}

/** Serves the one graph over all subgraphs at `/graphql`. */
export async function openGraphEndpoint(app: Express, options: GraphEndpointOptions): Promise<GraphEndpoint> {
  const { settings, rateLimitStores, log } = options;
  const { graph, stopReloads } = await openGraph(options);
  const subscriptions = openSubscriptions(graph, options);
  const persisted = new PersistedOperations(
    await readManifest(settings.registeredOperations),
    settings.registeredOperationsOnly,
    options.sharedTexts,
  );
  const introspection = settings.introspection ?? (settings.demo ? 'on' : 'admins');
  const server = graphServer({ graph, introspection, log });
  await server.start();
  const store = settings.rateLimits ? rateLimitStores(RATE_LIMIT.name) : undefined;
  mountRoutes(app, { server, persisted, store }, options);
  const fastPath = new FastPath({
    ...options,
    app,
    graph,
    persisted,
    rateLimit: store && { limit: RATE_LIMIT, store },
  });
  return {
    listener: fastPath.listener,
    socketGraph: {
      subscriptions,
      anonymousLimits: anonymousLimitsOf(settings).anonymousLimits,
      async textOf(payload) {
        await persisted.load(payload);
        return persisted.textOf(payload);
      },
      ...socketOperations({ graph, introspection, log, count: store && rateCounter(RATE_LIMIT, store) }),
    },
    apiSchema: () => subscriptions.apiSchema,
    async stop() {
      stopReloads();
      await subscriptions.close();
      await server.stop();
      await graph.close();
    },
  };
}

/** Loads the supergraph, and each one that replaces it. */
async function openGraph(options: GraphEndpointOptions) {
  const { supergraph } = options;
  const graph = new Graph(graphOptions(options));
  await graph.load(supergraph.current);
  return { graph, stopReloads: supergraph.onChange((sdl) => graph.load(sdl)) };
}

function openSubscriptions(
  graph: Graph,
  { log, metrics, tokens, platformHeaders }: GraphEndpointOptions,
): FederatedSubscriptions {
  const subscriptions = new FederatedSubscriptions({
    log,
    metrics,
    tokens,
    headersOf: (url) => platformHeaders.of(url),
    permissionOf: (loaded, document, operationName, viewer) =>
      permissionOf(loaded, graph.current.requirements, document, operationName, viewer),
  });
  graph.onLoad(({ loaded }) => subscriptions.load(loaded));
  return subscriptions;
}

interface RouteOptions {
  server: ApolloServer<GatewayContext>;
  persisted: PersistedOperations;
  /** Absent: operations are not counted. */
  store: Store | undefined;
}

/** The checks before the execution, in the order of docs/gateway.md. */
function mountRoutes(
  app: Express,
  { server, persisted, store }: RouteOptions,
  { settings, verifier }: GraphEndpointOptions,
): void {
  app.get('/graphql', explorerForBrowsers);
  app.use(
    '/graphql',
    notStored,
    authenticated(optionalAuth, verifier),
    ...(store ? [rateLimited({ ...RATE_LIMIT, store })] : []),
    acceptableAnswer,
    jsonOrUpload,
    multipartRequests({ maxFileBytes: settings.uploadMaxMebibytes * 1024 * 1024, maxFiles: MAX_FILES }),
    jsonBody(),
    checkIdempotencyKey,
    operationChecks(persisted, anonymousLimitsOf(settings).anonymousLimits),
    ...(store ? [countBatch(rateCounter(RATE_LIMIT, store))] : []),
    answerBy(server),
    negotiatedError,
    graphqlErrorHandler,
  );
}

const answerBy =
  (server: ApolloServer<GatewayContext>): RequestHandler =>
  async (req, res) => {
    const { viewer, origin } = contextOf(res);
    const context = httpContext(origin, viewer, req.headers);
    res.once('close', () => {
      if (!res.writableFinished) context.client?.leave();
    });
    sendAnswer(req, res, await answerOf(server, req, context));
  };

/** By default no cache may store a response, because it belongs to one caller. */
const notStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

function graphOptions({
  settings,
  metrics,
  log,
  writes,
  platformHeaders,
}: GraphEndpointOptions): GraphOptions {
  const requests = new SubgraphRequestCounts(metrics.registry);
  const fallbacks = new Counter({
    name: 'executor_fallbacks_total',
    help: "Operations, and single answers, that @apollo/gateway's executor took over from the compiled one, by reason.",
    labelNames: ['reason'] as const,
    registers: [metrics.registry],
  });
  const urlOf = subgraphUrls(settings);
  return {
    writes,
    connect: (name: string, urlInFile: string) => {
      const url = urlOf(name, urlInFile);
      return new HttpSubgraph({
        name,
        url,
        headers: platformHeaders.of(url),
        ...timeLimitsOf(name, settings),
        connections: settings.subgraphConnections,
        shareInFlight: settings.shareInFlight,
        writes,
        takesKeys: platformHeaders.proof !== undefined,
        readyUrl: readyUrlOf(name, settings),
        onBreaker: (isOpen) =>
          isOpen
            ? log.warn({ subgraph: name }, 'a subgraph does not answer; it gets no requests until it does')
            : log.info({ subgraph: name }, 'a subgraph answers again'),
        onDone: requests.of(name),
      });
    },
    costLimit: settings.costLimit,
    ...anonymousLimitsOf(settings),
    assumedListSize: settings.assumedListSize,
    maxListSize: isOwnSupergraph(settings) ? MAX_PAGE : Infinity,
    operationCacheSize: settings.operationCacheSize,
    formatError: (error) => shownError(error, log),
    onFallback: (reason: string) => fallbacks.inc({ reason }),
  };
}
