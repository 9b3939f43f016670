import { Supergraph as BuiltSupergraph } from '@apollo/federation-internals';
import { ApolloGateway } from '@apollo/gateway';
import { QueryPlanner } from '@apollo/query-planner';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type Express, type RequestHandler } from 'express';
import { OperationTypeNode, type ExecutionResult } from 'graphql';
import { optionalAuth } from '#server/auth/authenticate.ts';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { operationLimiter, OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { graphqlErrorHandler, refuseIntrospection } from '#server/graphql/subgraph-endpoint.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { rateLimited } from '#server/rest/rate-limit.ts';
import type { RateLimitStores } from '#server/rest/rate-limit-store.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Supergraph } from '../supergraph.ts';
import { formatGatewayError } from './errors.ts';
import { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import type { GraphSocketOptions } from '../subscriptions/websocket.ts';
import { HttpSubgraph } from '../subgraphs/http-subgraph.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import type { GatewayContext } from './context.ts';
import { SubgraphDataSource } from './subgraph-data-source.ts';

export interface GatewayEndpointOptions {
  settings: GatewaySettings;
  supergraph: Supergraph;
  verifier: TokenVerifier;
  rateLimitStores: RateLimitStores;
  log: Logger;
  metrics: Metrics;
  /** The gateway's own. */
  tokens: ServiceTokens;
}

const REQUESTS_PER_MINUTE = 600;

/** The graph as it is served: what the socket door needs of it, and what stops it. */
export interface MountedGraph {
  subscriptions: FederatedSubscriptions;
  execute: GraphSocketOptions['execute'];
  stop(): Promise<void>;
}

/** Serves the one graph over all subgraphs at `/graphql`. */
export async function mountGraph(
  app: Express,
  { settings, supergraph, verifier, rateLimitStores, log, metrics, tokens }: GatewayEndpointOptions,
): Promise<MountedGraph> {
  // The gateway family calls home unless told not to.
  process.env.APOLLO_TELEMETRY_DISABLED = '1';
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message: string) => log.warn(message),
    error: (message: string) => log.error(message),
  };
  const sources: Record<string, SubgraphDataSource> = {};
  const subgraphs = new Map<string, Subgraph>();
  const subscriptions = new FederatedSubscriptions({ log, metrics, tokens });
  const gateway = new ApolloGateway({
    supergraphSdl: supergraph.sdl,
    logger,
    buildService({ name, url }) {
      const subgraphUrl = supergraph.urlOf(name, url);
      const source = new SubgraphDataSource({
        name,
        url: subgraphUrl,
        timeoutMillis: settings.subgraphTimeoutMillis,
        connections: settings.subgraphConnections,
      });
      sources[name] = source;
      subgraphs.set(
        name,
        new HttpSubgraph({
          name,
          url: subgraphUrl,
          timeoutMillis: settings.subgraphTimeoutMillis,
          connections: settings.subgraphConnections,
          shareInFlight: false,
        }),
      );
      return source;
    },
  });
  gateway.onSchemaLoadOrUpdate(({ apiSchema, coreSupergraphSdl }) => {
    const built = BuiltSupergraph.build(coreSupergraphSdl, { validateSupergraph: false });
    subscriptions.load({
      sdl: coreSupergraphSdl,
      apiSchema,
      federatedApiSchema: built.apiSchema(),
      supergraphSchema: built.schema.toGraphQLJSSchema(),
      planner: new QueryPlanner(built),
      subgraphs,
    });
  });
  const server = new ApolloServer<GatewayContext>({
    gateway,
    introspection: true, // decided for each request
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    formatError: (formatted, error) => formatGatewayError(formatted, error, log),
    logger,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      {
        requestDidStart: async () => ({
          didResolveOperation: async (request) => {
            if (request.operation?.operation === OperationTypeNode.SUBSCRIPTION) throw overHttp();
            await refuseIntrospection(request, settings.introspection ?? (settings.demo ? 'on' : 'admins'));
          },
        }),
      },
    ],
  });
  await server.start();
  const limiter = operationLimiter(OPERATION_LIMITS);
  const checkSize: RequestHandler = (req, _res, next) => {
    const query: unknown = (req.body as { query?: unknown } | undefined)?.query;
    if (typeof query === 'string') limiter.check(query);
    req.body ??= {};
    next();
  };
  app.get('/graphql', (req, res, next) => {
    if (req.accepts(['json', 'html']) === 'html' && req.query.query === undefined) res.redirect('/explorer');
    else next();
  });
  app.use(
    '/graphql',
    optionalAuth(verifier),
    ...(settings.rateLimits
      ? [
          rateLimited({
            name: 'graphql',
            perMinute: REQUESTS_PER_MINUTE,
            by: 'caller',
            store: rateLimitStores('graphql'),
          }),
        ]
      : []),
    express.json({ limit: '1mb' }),
    checkSize,
    expressMiddleware(server, {
      context: async ({ res }) => {
        const { viewer, authorization, id: requestId, traceparent, address, userAgent } = contextOf(res);
        return { viewer, authorization, requestId, traceparent, address, userAgent };
      },
    }),
    graphqlErrorHandler,
  );
  return {
    subscriptions,
    async execute({ document, variables, operationName }, contextValue) {
      const { body } = await server.executeOperation(
        { query: document, variables, ...(operationName && { operationName }) },
        { contextValue },
      );
      if (body.kind === 'single') return body.singleResult as ExecutionResult;
      throw new Error('incremental delivery was not asked for');
    },
    async stop() {
      await subscriptions.close();
      await server.stop();
      await Promise.all([...Object.values(sources), ...subgraphs.values()].map((source) => source.close()));
    },
  };
}

const overHttp = () =>
  graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      'Subscriptions are served over WebSocket (graphql-transport-ws) at this same address.',
    ),
  );
