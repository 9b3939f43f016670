import { ApolloServer, type ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { apolloOptions, quietPlugins } from '#server/graphql/apollo-options.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { introspectionPlugin, type Introspection } from '#server/graphql/introspection.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { formatGatewayError } from '../response/format-error.ts';
import type { Graph } from '../operations/graph.ts';
import { statusOf } from './response-status.ts';

export interface GraphServerOptions {
  graph: Graph;
  introspection: Introspection;
  log: Logger;
}

/**
 * Apollo Server in front of the graph: everything of GraphQL over HTTP that is not asked for a thousand times a second.
 * It parses, validates and negotiates; what it lets through runs as in the fast lane.
 */
export function graphServer({ graph, introspection, log }: GraphServerOptions): ApolloServer<GatewayContext> {
  /** Heads of answers with data. The operations of a batch share one head: one of them with data makes it a 200. */
  const withData = new WeakSet<object>();
  return new ApolloServer<GatewayContext>({
    gateway: asGateway(graph),
    ...apolloOptions(log),
    csrfPrevention: false, // `jsonOrUpload` is what prevents it
    allowBatchedHttpRequests: true, // their number is checked before
    // What is asked for again is known to the fast lane; 30 MiB of documents as Apollo counts them are 200 of memory.
    documentStore: null,
    // Texts that are known have been put in by PersistedOperations; for the others Apollo's answer is the right one.
    persistedQueries: { cache: NOTHING_IS_KNOWN },
    formatError: (formatted, error) => formatGatewayError(formatted, error, log),
    plugins: [
      ...quietPlugins<GatewayContext>(),
      introspectionPlugin<GatewayContext>(introspection),
      {
        requestDidStart: async () => ({
          didResolveOperation: async (request) => {
            if (request.operation?.operation === OperationTypeNode.SUBSCRIPTION) throw overHttp();
          },
          // Apollo Server would take it from any error, also beside data.
          willSendResponse: async ({ response: { http, body }, contextValue: { keyed } }) => {
            if (keyed?.isReplay) http.headers.set('idempotency-replayed', 'true');
            if (body.kind !== 'single') return;
            const { data } = body.singleResult;
            if (typeof data === 'object' && data !== null) withData.add(http);
            if (withData.has(http)) http.status = 200;
            else if (data !== undefined) http.status = statusOf(body.singleResult);
          },
        }),
      },
    ],
  });
}

const NOTHING_IS_KNOWN = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => false,
};

/** Apollo Server's own words for a graph that is executed elsewhere. */
type GatewayInterface = ApolloServerOptionsWithGateway<GatewayContext>['gateway'];
type GatewayExecutor = NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>;
type GatewayGraphQLRequestContext = Parameters<GatewayExecutor>[0];
type GatewayExecutionResult = Awaited<ReturnType<GatewayExecutor>>;

/** The graph as Apollo Server takes one that others execute. */
function asGateway(graph: Graph): GatewayInterface {
  return {
    onSchemaLoadOrUpdate: (callback) =>
      graph.onLoad(({ loaded }) => callback({ apiSchema: loaded.apiSchema, coreSupergraphSdl: loaded.sdl })),
    load: async () => ({
      executor: async (request) => (await execute(graph, request)) as GatewayExecutionResult,
    }),
    stop: async () => undefined,
  };
}

async function execute(
  graph: Graph,
  { source, operation, request, context }: GatewayGraphQLRequestContext,
): Promise<ExecutionResult> {
  // Apollo Server makes a proper error of its own of this one.
  if (!(operation as unknown))
    return { errors: [new GraphQLError('Unknown operation: say which by operationName.')] };
  const { operations } = graph.current;
  const prepared = operations.prepare(source, request.operationName || undefined);
  const rawVariables = request.variables ?? {};
  const gatewayContext = context as GatewayContext;
  const admitted = prepared.admit(rawVariables, gatewayContext.viewer);
  if ('errors' in admitted) return { errors: admitted.errors };
  return prepared.toResult({ variables: admitted.coerced, rawVariables, context: gatewayContext });
}

const overHttp = () =>
  graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      'Subscriptions are served over WebSocket (graphql-transport-ws) at this same address.',
    ),
  );
