import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { CloseCode, type Context, type SubscribePayload } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { viewerOf } from '#server/auth/authenticate.ts';
import { CHECK_SESSIONS_MILLIS } from '#server/auth/ended-sessions.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { operationLimiter, OPERATION_LIMITS, type OperationLimits } from '#server/graphql/limits.ts';
import { closeIdle, Idleness } from '#server/http/idle-sockets.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import {
  checkOperations,
  socketsPerUser,
  TOO_MANY_SOCKETS,
  type SocketSettings,
} from '#server/http/socket-limits.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { WaitingClient } from '../context/waiting-client.ts';
import type { FederatedSubscriptions } from '../subscriptions/federated-subscriptions.ts';
import { DocumentCache } from './document-cache.ts';
import { sendResults } from './next-messages.ts';
import { singleResult } from './single-result.ts';

/** The graph as the WebSocket door uses it. */
export interface SocketGraph {
  subscriptions: FederatedSubscriptions;
  anonymousLimits: OperationLimits;
  /**
   * The text of the operation, also of a registered or persisted one; undefined if the client has to send the text.
   * @throws PlatformError if the operation is not allowed
   */
  textOf(payload: { query?: unknown; extensions?: unknown }): string | undefined;
  /** The other checks before the execution, the same as over HTTP: rate limit, introspection, cost. */
  admit(operation: SocketOperation, context: GatewayContext): Promise<void>;
  /** An error message of graphql-js that the caller may see. */
  clientMessage(message: string, context: GatewayContext): string;
  /** Runs a query or mutation as over HTTP. */
  execute(operation: SocketOperation, context: GatewayContext): Promise<ExecutionResult>;
}

export interface GraphSocketOptions {
  graph: SocketGraph;
  verifier: TokenVerifier;
  origins: RequestOrigins;
  settings: SocketSettings;
  log: Logger;
}

/** A parsed and valid operation of a client. */
export interface SocketOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

/** The state of a socket; graphql-ws passes it to every hook as `extra`. */
type Connection = Extra &
  Partial<Record<PropertyKey, never>> & {
    gatewayContext?: GatewayContext;
    expiry?: NodeJS.Timeout;
    idleness?: Idleness;
    operations?: Readonly<Record<string, unknown>>;
  };

type SocketContext = Context<Record<string, unknown>, Connection>;

const PING_MILLIS = 12_000; // 12 s
/** The longest delay of a Node timer; a longer one would fire at once. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/**
 * The graph over WebSocket (graphql-transport-ws): subscriptions, queries and mutations.
 * The token is `Authorization` in the connection parameters (in any case) or a header. An invalid token closes the socket
 * with 4403, and so does its expiry; a client connects again with a new token.
 * Returns a function that closes all sockets with 1001, so that clients connect to another replica.
 */
export function serveGraphOverSockets(
  sockets: WebSocketServer,
  options: GraphSocketOptions,
): () => Promise<void> {
  const { graph, settings } = options;
  const open = new Set<Connection>();
  const perUser = socketsPerUser(settings);
  const readOperation = operationReader(graph, settings);
  const checking = setInterval(() => {
    closeIdle(open);
    void closeEnded(open, options);
  }, CHECK_SESSIONS_MILLIS);
  checking.unref();
  const endpoint = useServer<Record<string, unknown>, Connection>(
    {
      onConnect: async (socket) => {
        const { extra } = socket;
        if (!(await authenticate(socket, options))) return false;
        // If the socket closed meanwhile, graphql-ws does not call onClose.
        if (extra.socket.readyState !== extra.socket.OPEN) return false;
        const user = userOf(extra);
        if (user !== undefined && !perUser.enter(user)) {
          clearTimeout(extra.expiry);
          extra.socket.close(TOO_MANY_SOCKETS, 'This user has too many sockets; close one of them.');
          return false;
        }
        extra.idleness = new Idleness(settings);
        extra.operations = socket.subscriptions;
        open.add(extra);
        return true;
      },
      onClose: ({ extra }) => {
        clearTimeout(extra.expiry);
        const user = userOf(extra);
        if (open.delete(extra) && user !== undefined) perUser.leave(user);
      },
      onSubscribe: async (socket, _id, payload) => {
        try {
          return await readOperation(socket, payload);
        } catch (error) {
          return [refusalOf(error)];
        }
      },
      execute: (args) => {
        const { document, operationName, variableValues, contextValue } = args;
        const client = new WaitingClient();
        const result = graph.execute(
          { document, operationName: operationName ?? undefined, variables: variableValues ?? {} },
          { ...(contextValue as GatewayContext), client },
        );
        return singleResult(result.then(withErrors), () => client.leave());
      },
      subscribe: (args) => {
        const { document, operationName, variableValues, contextValue } = args;
        return graph.subscriptions.subscribe({
          document,
          operationName: operationName ?? undefined,
          variables: variableValues ?? {},
          context: contextValue as GatewayContext,
        });
      },
      onOperation: ({ extra }, id, _payload, _args, result) =>
        Symbol.asyncIterator in result
          ? sendResults(result[Symbol.asyncIterator](), extra.socket, id)
          : undefined,
    },
    sockets,
    PING_MILLIS,
  );
  return async () => {
    clearInterval(checking);
    await endpoint.dispose();
  };
}

/** Reads and checks the operation of a `subscribe` message: the arguments of its execution, or the errors. */
function operationReader(graph: SocketGraph, settings: SocketSettings) {
  const limiter = operationLimiter(OPERATION_LIMITS, graph.anonymousLimits);
  const documents = new DocumentCache(() => graph.subscriptions.apiSchema);
  return async (
    socket: SocketContext,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    const { gatewayContext, idleness } = socket.extra;
    if (!gatewayContext) return [new GraphQLError('not connected')];
    idleness?.interrupt();
    checkOperations(Object.keys(socket.subscriptions).length, settings);
    const text = graph.textOf(payload);
    if (text === undefined) return [unknownPersistedQuery()];
    limiter.check(text, gatewayContext.viewer);
    const { document, errors } = documents.of(text);
    if (errors.length > 0)
      return errors.map(
        (error) =>
          new GraphQLError(graph.clientMessage(error.message, gatewayContext), {
            nodes: error.nodes,
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
          }),
      );
    if (!getOperationAST(document, payload.operationName))
      return [
        new GraphQLError('Say which operation: operationName.', {
          extensions: { code: 'VALIDATION_FAILED' },
        }),
      ];
    const variables = payload.variables ?? {};
    const operationName = payload.operationName ?? undefined;
    await graph.admit({ document, operationName, variables }, gatewayContext);
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

const userOf = ({ gatewayContext }: Connection): string | undefined =>
  gatewayContext?.viewer.kind === 'user' ? gatewayContext.viewer.userId : undefined;

/** Closes the sockets of callers whose session was ended. */
async function closeEnded(open: ReadonlySet<Connection>, { verifier }: GraphSocketOptions): Promise<void> {
  for (const { gatewayContext, socket } of open) {
    const viewer = gatewayContext?.viewer;
    if (viewer && viewer.kind !== 'anonymous' && !(await verifier.isStillValid(viewer)))
      socket.close(CloseCode.Forbidden, 'The access token is no longer valid; connect again with a new one.');
  }
}

/** The error of automatic persisted queries by which a client knows that it has to send the text. */
const unknownPersistedQuery = (): GraphQLError =>
  new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });

/** @returns false for an invalid token; graphql-ws then closes the socket with 4403 */
async function authenticate(
  socket: SocketContext,
  { verifier, origins, log }: GraphSocketOptions,
): Promise<boolean> {
  const { extra, connectionParams } = socket;
  const authorization = authorizationOf(connectionParams) ?? extra.request.headers.authorization;
  try {
    const viewer = await viewerOf(authorization, verifier);
    extra.gatewayContext = { ...origins.of(extra.request), authorization, viewer };
    if (viewer.kind !== 'anonymous') {
      extra.expiry = setTimeout(
        () =>
          extra.socket.close(
            CloseCode.Forbidden,
            'The access token has expired; connect again with a new one.',
          ),
        Math.min(viewer.expiresAt - Date.now(), MAX_TIMER_MILLIS),
      );
    }
    return true;
  } catch (error) {
    log.debug({ err: error }, 'a socket was refused');
    return false;
  }
}

function authorizationOf(params: Record<string, unknown> | undefined): string | undefined {
  const entry = Object.entries(params ?? {}).find(([key]) => key.toLowerCase() === 'authorization');
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
}

/** graphql-ws needs GraphQLErrors; `SocketGraph.execute` returns plain objects. */
const withErrors = (result: ExecutionResult): ExecutionResult =>
  result.errors
    ? {
        ...result,
        errors: result.errors.map(
          (error: GraphQLFormattedError) =>
            new GraphQLError(error.message, { path: error.path, extensions: error.extensions }),
        ),
      }
    : result;
