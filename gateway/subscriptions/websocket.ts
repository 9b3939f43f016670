import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { CloseCode, type Context } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { viewerOf } from '#server/auth/authenticate.ts';
import { CHECK_SESSIONS_MILLIS } from '#server/auth/ended-sessions.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { operationLimiter, OPERATION_LIMITS, type OperationLimits } from '#server/graphql/limits.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import { closeIdle, Idleness } from '#server/http/idle-sockets.ts';
import {
  checkOperations,
  socketsPerUser,
  TOO_MANY_SOCKETS,
  type SocketSettings,
} from '#server/http/socket-limits.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../graph/context.ts';
import { Documents } from './documents.ts';
import { singleResult } from './single-result.ts';
import { writtenResults } from './result-frames.ts';
import { Client } from '../subgraphs/client.ts';
import type { FederatedSubscriptions } from './federated-subscriptions.ts';

export interface GraphSocketOptions {
  subscriptions: FederatedSubscriptions;
  verifier: TokenVerifier;
  origins: RequestOrigins;
  settings: SocketSettings;
  log: Logger;
  anonymousLimits: OperationLimits;
  /**
   * The text that is meant, of a registered or persisted operation too; undefined where the client is to send it along.
   * @throws PlatformError where it may not be asked
   */
  textOf(payload: { query?: unknown; extensions?: unknown }): string | undefined;
  /** What else is checked before an operation runs, over HTTP as here: how many come, whether the schema may be asked for, the cost. */
  admit(operation: SocketOperation, context: GatewayContext): Promise<void>;
  /** A message of graphql-js as the caller may see it. */
  shownMessage(message: string, context: GatewayContext): string;
  /** Runs a query or mutation as over HTTP. */
  execute(operation: SocketOperation, context: GatewayContext): Promise<ExecutionResult>;
}

/** An operation of a client, parsed and valid. */
export interface SocketOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
}

type Connection = Extra &
  Partial<Record<PropertyKey, never>> & {
    gatewayContext?: GatewayContext;
    expiry?: NodeJS.Timeout;
    idleness?: Idleness;
    operations?: Readonly<Record<string, unknown>>;
  };

/**
 * The graph over WebSocket (graphql-transport-ws): subscriptions, queries and mutations.
 * The token comes as `Authorization` in the connection parameters (in any case) or as header; one that does not hold
 * closes the socket with 4403, and so does its expiry: a client connects again with a fresh one.
 * Returns what stops it: sockets are closed with 1001, so that clients come back elsewhere.
 */
export function serveGraphOverSockets(
  sockets: WebSocketServer,
  options: GraphSocketOptions,
): () => Promise<void> {
  const limiter = operationLimiter(OPERATION_LIMITS, options.anonymousLimits);
  const documents = new Documents(() => options.subscriptions.apiSchema);
  const open = new Set<Connection>();
  const perUser = socketsPerUser(options.settings);
  const checking = setInterval(() => {
    closeIdle(open);
    void closeEnded(open, options);
  }, CHECK_SESSIONS_MILLIS);
  checking.unref();
  const endpoint = useServer<Record<string, unknown>, Connection>(
    {
      onConnect: async (socket) => {
        const { extra } = socket;
        if (!(await connect(socket, options))) return false;
        if (extra.socket.readyState !== extra.socket.OPEN) return false; // closed meanwhile: there is no onClose to come
        const user = userOf(extra);
        if (user !== undefined && !perUser.enter(user)) {
          clearTimeout(extra.expiry);
          extra.socket.close(TOO_MANY_SOCKETS, 'This user has too many sockets; close one of them.');
          return false;
        }
        extra.idleness = new Idleness(options.settings);
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
        const { gatewayContext } = socket.extra;
        if (!gatewayContext) return [new GraphQLError('not connected')];
        socket.extra.idleness?.interrupt();
        try {
          checkOperations(Object.keys(socket.subscriptions).length, options.settings);
          const text = options.textOf(payload);
          if (text === undefined) return [unknownText()];
          limiter.check(text, gatewayContext.viewer);
          const { document, errors } = documents.of(text);
          if (errors.length > 0)
            return errors.map(
              (error) =>
                new GraphQLError(options.shownMessage(error.message, gatewayContext), {
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
          await options.admit({ document, operationName, variables }, gatewayContext);
          const args: ExecutionArgs = {
            schema: options.subscriptions.apiSchema,
            document,
            operationName,
            variableValues: variables,
            contextValue: gatewayContext,
          };
          return args;
        } catch (error) {
          if (error instanceof PlatformError) return [graphqlErrorOf(error)];
          if (error instanceof GraphQLError && error.extensions.code !== undefined) return [error];
          return [
            error instanceof GraphQLError
              ? new GraphQLError(error.message, { extensions: { code: 'GRAPHQL_PARSE_FAILED' } })
              : new GraphQLError('the operation could not be read'),
          ];
        }
      },
      execute: (args) => {
        const { document, operationName, variableValues, contextValue } = args;
        const client = new Client();
        const result = options.execute(
          { document, operationName: operationName ?? undefined, variables: variableValues ?? {} },
          { ...(contextValue as GatewayContext), client },
        );
        return singleResult(result.then(withErrors), () => client.leave());
      },
      subscribe: (args) => {
        const { document, operationName, variableValues, contextValue } = args;
        return options.subscriptions.subscribe({
          document,
          operationName: operationName ?? undefined,
          variables: variableValues ?? {},
          context: contextValue as GatewayContext,
        });
      },
      onOperation: ({ extra }, id, _payload, _args, result) =>
        Symbol.asyncIterator in result
          ? writtenResults(result[Symbol.asyncIterator](), extra.socket, id)
          : undefined,
    },
    sockets,
    12_000, // ping every 12 s
  );
  return async () => {
    clearInterval(checking);
    await endpoint.dispose();
  };
}

const userOf = ({ gatewayContext }: Connection): string | undefined =>
  gatewayContext?.viewer.kind === 'user' ? gatewayContext.viewer.userId : undefined;

/** Closes the sockets of callers who were logged out elsewhere. */
async function closeEnded(open: ReadonlySet<Connection>, { verifier }: GraphSocketOptions): Promise<void> {
  for (const { gatewayContext, socket } of open) {
    const viewer = gatewayContext?.viewer;
    if (viewer && viewer.kind !== 'anonymous' && !(await verifier.isStillValid(viewer)))
      socket.close(CloseCode.Forbidden, 'The access token holds no more; connect again with a new one.');
  }
}

/** As automatic persisted queries have it: the client repeats the operation with its text. */
const unknownText = (): GraphQLError =>
  new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });

async function connect(
  socket: Context<Record<string, unknown>, Connection>,
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
        Math.min(viewer.expiresAt - Date.now(), 2 ** 31 - 1),
      );
    }
    return true;
  } catch (error) {
    log.debug({ err: error }, 'a socket was refused');
    return false; // closed with 4403
  }
}

function authorizationOf(params: Record<string, unknown> | undefined): string | undefined {
  const entry = Object.entries(params ?? {}).find(([key]) => key.toLowerCase() === 'authorization');
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
}

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
