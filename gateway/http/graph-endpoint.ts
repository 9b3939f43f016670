import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import { rateCounter } from '#server/rest/rate-limit.ts';
import type { RateLimitStores } from '#server/rest/rate-limit-store.ts';
import { mountMcp } from '../agents/mcp-endpoint.ts';
import { permissionOf } from '../authorization/permission.ts';
import { anonymousLimitsOf } from '../limits/anonymous-limits.ts';
import { DocumentCache } from '../operations/document-cache.ts';
import { ContractGraphs } from '../operations/contract-graphs.ts';
import { Graph, type GraphOptions } from '../operations/graph.ts';
import { RegisteredOperations } from '../operations/registered-operations.ts';
import { PersistedOperations, type SharedTexts } from '../operations/persisted-operations.ts';
import { shownError } from '../response/client-error.ts';
import type { Router } from '../router-file/router.ts';
import type { GatewaySettings } from '../settings.ts';
import { HttpSubgraph } from '../subgraphs/http-subgraph.ts';
import { SubgraphRequestCounts } from '../subgraphs/subgraph-request-counts.ts';
import type { PlatformHeaders } from '../subgraphs/platform-headers.ts';
import { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import { isOwnSupergraph, readyUrlOf, subgraphUrls, timeLimitsOf } from '../supergraph/subgraph-urls.ts';
import type { SupergraphSource } from '../supergraph/supergraph-source.ts';
import type { OpenSharedCache } from '../cache/open-shared-cache.ts';
import type { CostBudgets } from '../limits/cost-budgets.ts';
import type { UsageReport } from '../usage/usage-report.ts';
import { socketOperations } from '../websocket/socket-operations.ts';
import type { SocketGraph } from '../websocket/websocket-server.ts';
import { AnswersInParts } from '../defer/answers-in-parts.ts';
import { deferredAnswers } from '../streams/deferred-answers.ts';
import { OpenStreams } from '../streams/open-streams.ts';
import { notStreamable, streamedSubscriptions } from '../streams/streamed-operations.ts';
import type { Writes } from '../writes/writes.ts';
import { graphServer } from './apollo-server.ts';
import { mountContracts, mountRoutes, RATE_LIMIT } from './graph-routes.ts';
import { FastPath } from './fast-path.ts';
import type { Tracing } from '#server/observability/tracing.ts';

export interface GraphEndpointOptions {
  settings: GatewaySettings;
  router: Router;
  supergraph: SupergraphSource;
  verifier: TokenVerifier;
  rateLimitStores: RateLimitStores;
  metrics: Metrics;
  origins: RequestOrigins;
  /** Mutations of all replicas of the gateway. */
  writes: Writes;
  /** Automatic persisted queries of all replicas of the gateway; undefined if each knows only its own. */
  sharedTexts: SharedTexts | undefined;
  /** What all replicas of the gateway cache; undefined if each has its own cache. */
  sharedCache: OpenSharedCache | undefined;
  /** Client-credentials tokens of the service `gateway`. */
  tokens: ServiceTokens;
  platformHeaders: PlatformHeaders;
  /** Undefined if usage is not reported. */
  usage: UsageReport | undefined;
  budgets: CostBudgets;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
  log: Logger;
}

/** The maximum number of elements in a page of the platform's services, whatever `first` or `limit` says. */
const MAX_PAGE = 200;

interface GraphEndpoint {
  /** Handles all requests that `RestProxies` passes on: in the fast path, or in the application. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void;
  /** The same graph for the WebSocket door. */
  readonly socketGraph: SocketGraph;
  /** Interrupts the subscriptions that are open over HTTP. To be called before `stop`, while the server's answers end. */
  closeStreams(): Promise<void>;
  /** The schema that clients see now. */
  apiSchema(): GraphQLSchema;
  stop(): Promise<void>;
}

/** Serves the one graph over all subgraphs at `/graphql`. */
export async function openGraphEndpoint(app: Express, options: GraphEndpointOptions): Promise<GraphEndpoint> {
  const { settings, rateLimitStores, log } = options;
  const { graph, contracts, stopReloads } = await openGraph(options);
  const subscriptions = openSubscriptions(graph, options);
  const registered = await RegisteredOperations.open(settings.registeredOperations, log);
  const persisted = new PersistedOperations(
    registered,
    settings.registeredOperationsOnly,
    options.sharedTexts,
  );
  const introspection = settings.introspection ?? (settings.demo ? 'on' : 'admins');
  const server = graphServer({ graph, introspection, refuseSubscription: notStreamable, log });
  await server.start();
  const store = settings.rateLimits ? rateLimitStores(RATE_LIMIT.name) : undefined;
  const documents = new DocumentCache(() => subscriptions.apiSchema);
  const socketGraph: SocketGraph = {
    subscriptions,
    anonymousLimits: anonymousLimitsOf(settings).anonymousLimits,
    documents,
    async textOf(payload) {
      await persisted.load(payload);
      return persisted.textOf(payload);
    },
    ...socketOperations({
      graph,
      documents,
      introspection,
      answersInParts: new AnswersInParts({
        metrics: options.metrics,
        formatError: (error) => shownError(error, log),
      }),
      log,
      metrics: options.metrics,
      tracing: options.tracing,
      usage: options.usage,
      budgets: options.budgets,
      count: store && rateCounter(RATE_LIMIT, store),
    }),
  };
  const streams = new OpenStreams(options);
  const contractServers = await mountContracts(app, contracts, { persisted, store, introspection }, options);
  mountRoutes(
    app,
    {
      path: '/graphql',
      server,
      persisted,
      store,
      streaming: [
        deferredAnswers(socketGraph, streams, options.router.headerNames),
        streamedSubscriptions(socketGraph, streams),
      ],
    },
    options,
  );
  await mountMcp(app, { ...options, graph, operations: socketGraph });
  const fastPath = new FastPath({
    ...options,
    app,
    graph,
    persisted,
    rateLimit: store && { limit: RATE_LIMIT, store },
  });
  return {
    listener: fastPath.listener,
    socketGraph,
    closeStreams: () => streams.close(),
    apiSchema: () => subscriptions.apiSchema,
    async stop() {
      stopReloads();
      registered.close();
      await subscriptions.close();
      await Promise.all([server, ...contractServers].map((one) => one.stop()));
      await contracts.close();
      await graph.close();
    },
  };
}

/** Loads the supergraph, and each one that replaces it. */
async function openGraph(options: GraphEndpointOptions) {
  const { supergraph, router, log } = options;
  const ownOptions = graphOptions(options);
  const graph = new Graph(ownOptions);
  await graph.load(supergraph.current);
  const contracts = await ContractGraphs.open(router.rules.contracts, graph, { options: ownOptions, log });
  const stopReloads = supergraph.onChange(async (sdl) => {
    await graph.load(sdl);
    await contracts.load(sdl);
  });
  return { graph, contracts, stopReloads };
}

function openSubscriptions(
  graph: Graph,
  { log, metrics, tokens, tracing, platformHeaders, router }: GraphEndpointOptions,
): FederatedSubscriptions {
  const subscriptions = new FederatedSubscriptions({
    log,
    metrics,
    tracing,
    tokens,
    headersOf: (url) => platformHeaders.of(url),
    tlsAt: (url) => router.tlsAt(url),
    permissionOf: (loaded, document, operationName, viewer) =>
      permissionOf(loaded, graph.current.requirements, document, operationName, viewer),
  });
  graph.onLoad(({ loaded }) => subscriptions.load(loaded));
  return subscriptions;
}

function graphOptions({
  settings,
  metrics,
  log,
  writes,
  sharedCache,
  platformHeaders,
  router,
  usage,
  budgets,
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
    sharedCache,
    usage,
    budgets,
    connect: (name: string, urlInFile: string) => {
      const url = urlOf(name, urlInFile);
      const { timeoutMillis, mutationTimeoutMillis, headers: headerRules, ...route } = router.subgraph(name);
      const limits = timeLimitsOf(name, settings);
      router.remember(name, url);
      return new HttpSubgraph({
        name,
        url,
        headers: platformHeaders.of(url),
        timeoutMillis: timeoutMillis ?? limits.timeoutMillis,
        mutationTimeoutMillis: mutationTimeoutMillis ?? limits.mutationTimeoutMillis,
        headerRules,
        ...route,
        connections: route.connections ?? settings.subgraphConnections,
        shareInFlight: settings.shareInFlight,
        writes,
        takesKeys: platformHeaders.proofs.size > 0,
        readyUrl: readyUrlOf(name, settings),
        onBreaker: (isOpen) => {
          requests.setBreaker(name, isOpen);
          if (isOpen)
            log.warn({ subgraph: name }, 'a subgraph does not answer; it gets no requests until it does');
          else log.info({ subgraph: name }, 'a subgraph answers again');
        },
        onDone: requests.of(name, url),
      });
    },
    costLimit: settings.costLimit,
    ...anonymousLimitsOf(settings),
    assumedListSize: settings.assumedListSize,
    hasOwnDates: isOwnSupergraph(settings),
    maxListSize: isOwnSupergraph(settings) ? MAX_PAGE : Infinity,
    operationCacheSize: settings.operationCacheSize,
    formatError: (error) => shownError(error, log),
    onFallback: (reason: string) => fallbacks.inc({ reason }),
  };
}
