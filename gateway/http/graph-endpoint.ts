import { expressMiddleware } from '@as-integrations/express5';
import type { Express, RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { optionalAuth } from '#server/auth/authenticate.ts';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { acceptableAnswer } from '#server/graphql/media-types.ts';
import { graphqlErrorHandler } from '#server/graphql/subgraph-endpoint.ts';
import { readJson } from '#server/http/json-body.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import { rateCounter, rateLimited, type RateLimit } from '#server/rest/rate-limit.ts';
import type { RateLimitStores } from '#server/rest/rate-limit-store.ts';
import { permissionOf } from '../authorization/permission.ts';
import type { GatewaySettings } from '../settings.ts';
import { WaitingClient } from '../context/waiting-client.ts';
import { HttpSubgraph } from '../subgraphs/http-subgraph.ts';
import type { PlatformHeaders } from '../subgraphs/platform-headers.ts';
import { RequestCounts } from '../hot-path/request-counts.ts';
import { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import type { GraphSocketOptions } from '../websocket/websocket-server.ts';
import type { Writes } from '../writes/writes.ts';
import type { SupergraphSource } from '../supergraph/supergraph-source.ts';
import { isOwnSupergraph, subgraphUrls } from '../supergraph/subgraph-urls.ts';
import { anonymousLimitsOf } from '../limits/anonymous-limits.ts';
import { graphServer } from './apollo-server.ts';
import { formatGatewayError } from '../response/format-error.ts';
import { FastLane } from './fast-lane.ts';
import { Graph } from '../operations/graph.ts';
import { checkIdempotencyKey, keyedOperationOf } from '../context/keyed-operation.ts';
import { countBatch, explorerForBrowsers, jsonOrUpload, negotiatedError } from './middleware.ts';
import { operationChecks } from '../limits/operation-checks.ts';
import { PersistedOperations, readManifest } from '../operations/persisted-operations.ts';
import { socketOperations } from '../websocket/socket-operations.ts';
import { multipartRequests } from './uploads.ts';

export interface GatewayEndpointOptions {
  settings: GatewaySettings;
  supergraph: SupergraphSource;
  verifier: TokenVerifier;
  rateLimitStores: RateLimitStores;
  metrics: Metrics;
  origins: RequestOrigins;
  /** Mutations of all replicas of the gateway. */
  writes: Writes;
  /** The gateway's own. */
  tokens: ServiceTokens;
  platformHeaders: PlatformHeaders;
  log: Logger;
}

/** For the graph as a whole; single fields have limits of their own at their services. */
const RATE_LIMIT: RateLimit = { name: 'graphql', perMinute: 600, by: 'caller' };
/** Our own pages hold at most this, whatever is asked for. */
const MAX_PAGE = 200;

/** The graph as it is served: what the doors need of it, and what stops it. */
export interface MountedGraph extends Pick<
  GraphSocketOptions,
  'anonymousLimits' | 'textOf' | 'admit' | 'execute' | 'clientMessage'
> {
  readonly graph: Graph;
  readonly subscriptions: FederatedSubscriptions;
  readonly fastLane: FastLane;
  stop(): Promise<void>;
}

/** Serves the one graph over all subgraphs at `/graphql`. */
export async function mountGraph(app: Express, options: GatewayEndpointOptions): Promise<MountedGraph> {
  const { settings, supergraph, verifier, origins, rateLimitStores, metrics, tokens, log } = options;
  // The gateway family calls home unless told not to.
  process.env.APOLLO_TELEMETRY_DISABLED = '1';
  const graph = new Graph(graphOptions(options));
  await graph.load(supergraph.current);
  supergraph.onChange((sdl) => graph.load(sdl));

  const subscriptions = new FederatedSubscriptions({
    log,
    metrics,
    tokens,
    headersOf: (url) => options.platformHeaders.of(url),
    permissionOf: (loaded, document, operationName, viewer) =>
      permissionOf(loaded, graph.current.requirements, document, operationName, viewer),
  });
  graph.onLoad(({ loaded }) => subscriptions.load(loaded));

  const persisted = new PersistedOperations(
    await readManifest(settings.registeredOperations),
    settings.registeredOperationsOnly,
  );
  const { anonymousLimits } = anonymousLimitsOf(settings);
  const introspection = settings.introspection ?? (settings.demo ? 'on' : 'admins');
  const server = graphServer({
    graph,
    introspection,
    log,
  });
  await server.start();
  const store = settings.rateLimits ? rateLimitStores(RATE_LIMIT.name) : undefined;
  const count = store && rateCounter(RATE_LIMIT, store);

  app.get('/graphql', explorerForBrowsers);
  app.use(
    '/graphql',
    notStored,
    optionalAuth(verifier),
    ...(store ? [rateLimited({ ...RATE_LIMIT, store })] : []),
    acceptableAnswer,
    jsonOrUpload,
    multipartRequests({ maxFileBytes: settings.uploadMaxMebibytes * 1024 * 1024, maxFiles: 10 }),
    readJson(),
    checkIdempotencyKey,
    operationChecks(persisted, anonymousLimits),
    ...(count ? [countBatch(count)] : []),
    expressMiddleware(server, {
      context: async ({ req, res }) => {
        const { viewer, origin } = contextOf(res);
        const client = new WaitingClient();
        res.once('close', () => {
          if (!res.writableFinished) client.leave();
        });
        return { ...origin, viewer, client, keyed: keyedOperationOf(req.headers['idempotency-key']) };
      },
    }),
    negotiatedError,
    graphqlErrorHandler,
  );
  return {
    graph,
    subscriptions,
    fastLane: new FastLane({
      app,
      graph,
      origins,
      persisted,
      verifier,
      settings,
      metrics,
      log,
      rateLimit: store && { limit: RATE_LIMIT, store },
    }),
    anonymousLimits,
    textOf: (payload) => persisted.textOf(payload),
    ...socketOperations({ graph, introspection, log, count }),
    async stop() {
      supergraph.stop();
      await subscriptions.close();
      await server.stop();
      await graph.close();
    },
  };
}

/** Every answer is one caller's, if nothing else is said of it. */
const notStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

function graphOptions({ settings, metrics, log, writes, platformHeaders }: GatewayEndpointOptions) {
  const requests = new RequestCounts(metrics);
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
        timeoutMillis: settings.subgraphTimeoutMillis,
        connections: settings.subgraphConnections,
        shareInFlight: settings.shareInFlight,
        writes,
        takesKeys: platformHeaders.proof !== undefined,
        onDone: requests.of(name),
      });
    },
    costLimit: settings.costLimit,
    ...anonymousLimitsOf(settings),
    assumedListSize: settings.assumedListSize,
    maxListSize: isOwnSupergraph(settings) ? MAX_PAGE : Infinity,
    operationCacheSize: settings.operationCacheSize,
    formatError: (error: GraphQLError) => formatGatewayError(error.toJSON(), error, log),
    onFallback: (reason: string) => fallbacks.inc({ reason }),
  };
}
