import { ApolloServer, type ApolloServerOptionsWithGateway } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type ExecutionResult } from 'graphql';
import { apolloOptions, quietPlugins } from '#server/graphql/apollo-options.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { introspectionPlugin, type Introspection } from '#server/graphql/introspection.ts';
import type { PlatformError } from '#server/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { FURTHER_RULES } from '../defer/defer-rules.ts';
import { formatGatewayError } from '../response/format-error.ts';
import type { Graph } from '../operations/graph.ts';
import { statusOf } from './response-status.ts';

interface GraphServerOptions {
  graph: Graph;
  introspection: Introspection;
  /** Why a subscription is not answered. */
  refuseSubscription(): PlatformError;
  log: Logger;
}

/**
 * Apollo Server in front of the graph, for all requests that the fast path does not handle. It parses, validates and
 * negotiates; the execution is the same as in the fast path.
 */
export function graphServer({
  graph,
  introspection,
  refuseSubscription,
  log,
}: GraphServerOptions): ApolloServer<GatewayContext> {
  /**
   * The `http` objects of responses with data. All operations of a batch have the same object; its status is 200 if one of them
   * has data.
   */
  const withData = new WeakSet<object>();
  return new ApolloServer<GatewayContext>({
    gateway: asGateway(graph),
    ...apolloOptions(log),
    csrfPrevention: false, // `jsonOrUpload` prevents it
    allowBatchedHttpRequests: true, // `operationChecks` limits their number
    stringifyResult: JSON.stringify, // as in the fast path; by default with a line break at the end
    // No store: repeated operations take the fast path, and Apollo's default store takes 200 MiB of memory, which Apollo counts
    // as 30 MiB.
    documentStore: null,
    // `operationChecks` has inserted the texts of known hashes; Apollo Server answers the unknown ones.
    persistedQueries: { cache: EMPTY_CACHE },
    formatError: (formatted, error) => formatGatewayError(formatted, error, log),
    validationRules: [...FURTHER_RULES],
    plugins: [
      ...quietPlugins<GatewayContext>(),
      introspectionPlugin<GatewayContext>(introspection),
      {
        requestDidStart: async () => ({
          didResolveOperation: async (request) => {
            if (request.operation?.operation === OperationTypeNode.SUBSCRIPTION)
              throw graphqlErrorOf(refuseSubscription());
          },
          // Apollo Server by itself takes the status from any error, also if there is data.
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

const EMPTY_CACHE = {
  get: async () => undefined,
  set: async () => undefined,
  delete: async () => false,
};

// Apollo Server exports these types only as parts of its options.
type GatewayInterface = ApolloServerOptionsWithGateway<GatewayContext>['gateway'];
type GatewayExecutor = NonNullable<Awaited<ReturnType<GatewayInterface['load']>>['executor']>;
type GatewayGraphQLRequestContext = Parameters<GatewayExecutor>[0];
type GatewayExecutionResult = Awaited<ReturnType<GatewayExecutor>>;

/** The graph as the `gateway` option of Apollo Server, so that Apollo Server executes nothing itself. */
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
  // Apollo Server replaces this error by its own.
  if (!(operation as unknown))
    return { errors: [new GraphQLError('Unknown operation: send its operationName.')] };
  const { operations } = graph.current;
  const prepared = operations.prepare(source, request.operationName || undefined);
  const rawVariables = request.variables ?? {};
  const gatewayContext = context as GatewayContext;
  const admitted = prepared.admit(rawVariables, gatewayContext.viewer);
  if ('errors' in admitted) return { errors: admitted.errors };
  return prepared.toResult({ variables: admitted.coerced, rawVariables, context: gatewayContext });
}
