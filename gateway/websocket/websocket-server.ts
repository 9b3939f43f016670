import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import type { ServerOptions, SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { operationLimiter, OPERATION_LIMITS, type OperationLimits } from '#server/graphql/limits.ts';
import { checkOperations, type SocketSettings } from '#server/http/socket-limits.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { PING_MILLIS } from '../context/heartbeat.ts';
import { WaitingClient } from '../context/waiting-client.ts';
import type { AnswerInParts } from '../defer/answers-in-parts.ts';
import type { IncrementalForm } from '../defer/incremental-result.ts';
import type { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import { Connections, type Connection, type ConnectionsOptions, type SocketContext } from './connections.ts';
import { invalidDocument, type DocumentCache } from '../operations/document-cache.ts';
import { sendResults } from './next-messages.ts';
import { SingleResult } from './single-result.ts';

/** The graph as the WebSocket door uses it. */
export interface SocketGraph {
  subscriptions: FederatedSubscriptions;
  anonymousLimits: OperationLimits;
  documents: DocumentCache;
  /**
   * The text of the operation, also of a registered or persisted one; undefined if the client has to send the text.
   * @throws PlatformError if the operation is not allowed
   */
  textOf(payload: { query?: unknown; extensions?: unknown }): Promise<string | undefined>;
  /** Counts an operation for the rate limit. @throws RATE_LIMITED */
  count(context: GatewayContext): Promise<void>;
  /** The other checks before the execution, the same as over HTTP: introspection, cost. @throws GraphQLError or PlatformError */
  check(operation: SocketOperation, context: GatewayContext): void;
  /** An error message of graphql-js that the caller may see. */
  clientMessage(message: string, context: GatewayContext): string;
  /** An error of an execution as the caller may see it. */
  shown(error: unknown, context: GatewayContext): GraphQLError;
  /** Runs a query or mutation as over HTTP. */
  execute(operation: SocketOperation, context: GatewayContext): Promise<ExecutionResult>;
  /** Runs an operation in parts. Undefined if it must run whole or is refused: `execute` then runs it or reports the refusal. */
  beginInParts(
    operation: SocketOperation,
    context: GatewayContext,
    form: IncrementalForm,
  ): Promise<AnswerInParts | undefined>;
  /** As `beginInParts`, for an operation of a socket. It also counts the operation in the metrics and records its span. */
  executeInParts(operation: SocketOperation, context: GatewayContext): Promise<AnswerInParts | undefined>;
}

interface GraphSocketOptions extends ConnectionsOptions {
  graph: SocketGraph;
}

/** A parsed and valid operation of a client. */
export interface SocketOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

/**
 * The graph over WebSocket (graphql-transport-ws): subscriptions, queries and mutations.
 * The token is `Authorization` in the connection parameters (upper or lower case) or a header. A token that is invalid or
 * expires closes the socket with 4403; a client connects again with a new token.
 * `stop` closes all sockets with 1001, so that clients connect to another replica.
 */
export function serveGraphOverSockets(
  sockets: WebSocketServer,
  options: GraphSocketOptions,
): { stop(): Promise<void> } {
  const connections = new Connections(options);
  const endpoint = useServer<Record<string, unknown>, Connection>(
    {
      onConnect: (socket) => connections.add(socket),
      onClose: ({ extra }) => connections.remove(extra),
      ...operationHooks(options),
    },
    sockets,
    PING_MILLIS,
  );
  return {
    async stop() {
      connections.stop();
      await endpoint.dispose();
    },
  };
}

/** The hooks that graphql-ws calls for each operation. */
function operationHooks({
  graph,
  settings,
}: GraphSocketOptions): ServerOptions<Record<string, unknown>, Connection> {
  const readOperation = operationReader(graph, settings);
  return {
    onSubscribe: async (socket, _id, payload) => {
      try {
        return await readOperation(socket, payload);
      } catch (error) {
        return [refusalOf(error)];
      }
    },
    execute: async (args) => {
      const { context, ...operation } = operationIn(args);
      const client = new WaitingClient();
      const own = { ...context, client };
      return (
        (await graph.executeInParts(operation, own)) ??
        new SingleResult(graph.execute(operation, own), () => client.leave())
      );
    },
    subscribe(args) {
      const operation = operationIn(args);
      const results = graph.subscriptions.subscribe(operation);
      if (Symbol.asyncIterator in results) return results;
      return { errors: (results.errors ?? []).map((error) => graph.shown(error, operation.context)) };
    },
    onOperation: ({ extra }, id, _payload, _args, result) =>
      Symbol.asyncIterator in result
        ? sendResults(result[Symbol.asyncIterator](), extra.socket, id, graph.subscriptions.deliveries)
        : undefined,
  };
}

const operationIn = ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => ({
  document,
  operationName: operationName ?? undefined,
  variables: variableValues ?? {},
  context: contextValue as GatewayContext,
});

/** Reads and checks the operation of a `subscribe` message: the arguments of its execution, or the errors. */
function operationReader(graph: SocketGraph, settings: SocketSettings) {
  const limiter = operationLimiter(OPERATION_LIMITS, graph.anonymousLimits);
  return async (
    socket: SocketContext,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    const { gatewayContext, idleness } = socket.extra;
    if (!gatewayContext) return [new GraphQLError('not connected')];
    idleness?.interrupt();
    checkOperations(Object.keys(socket.subscriptions).length, settings);
    const text = await graph.textOf(payload);
    if (text === undefined) return [unknownPersistedQuery()];
    limiter.check(text, gatewayContext.viewer);
    const { document, errors } = graph.documents.of(text);
    if (errors.length > 0)
      return errors.map((error) =>
        invalidDocument(error, graph.clientMessage(error.message, gatewayContext)),
      );
    if (!getOperationAST(document, payload.operationName))
      return [
        new GraphQLError(
          'The document has several operations, or none of this name: send the operationName of one of them.',
          {
            extensions: { code: 'VALIDATION_FAILED' },
          },
        ),
      ];
    const variables = payload.variables ?? {};
    const operationName = payload.operationName ?? undefined;
    await graph.count(gatewayContext);
    graph.check({ document, operationName, variables }, gatewayContext);
    return {
      schema: graph.subscriptions.apiSchema,
      document,
      operationName,
      variableValues: variables,
      contextValue: gatewayContext,
    };
  };
}

function refusalOf(error: unknown): GraphQLError {
  if (error instanceof PlatformError) return graphqlErrorOf(error);
  if (!(error instanceof GraphQLError)) return new GraphQLError('the operation could not be read');
  if (error.extensions.code !== undefined) return error;
  return new GraphQLError(error.message, { extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
}

/** The error of automatic persisted queries by which a client knows that it has to send the text. */
const unknownPersistedQuery = (): GraphQLError =>
  new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
