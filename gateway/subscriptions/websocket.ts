import type { IncomingMessage } from 'node:http';
import { randomUUID } from 'node:crypto';
import {
  getOperationAST,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLFormattedError,
} from 'graphql';
import { CloseCode, type Context } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { viewerOf } from '#server/auth/authenticate.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { operationLimiter, OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { continued } from '#server/http/request-context.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../graph/subgraph-data-source.ts';
import type { FederatedSubscriptions } from './federated-subscriptions.ts';

export interface GraphSocketOptions {
  subscriptions: FederatedSubscriptions;
  verifier: TokenVerifier;
  log: Logger;
  /** Runs a query or mutation as over HTTP. */
  execute(
    operation: {
      document: DocumentNode;
      variables: Record<string, unknown>;
      operationName: string | undefined;
    },
    context: GatewayContext,
  ): Promise<ExecutionResult>;
}

type Connection = Extra &
  Partial<Record<PropertyKey, never>> & { gatewayContext?: GatewayContext; expiry?: NodeJS.Timeout };

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
  const limiter = operationLimiter(OPERATION_LIMITS);
  const endpoint = useServer<Record<string, unknown>, Connection>(
    {
      onConnect: (socket) => connect(socket, options),
      onDisconnect: ({ extra }) => clearTimeout(extra.expiry),
      onSubscribe: (socket, _id, payload) => {
        const { gatewayContext } = socket.extra;
        if (!gatewayContext) return [new GraphQLError('not connected')];
        try {
          limiter.check(payload.query);
          const document = parse(payload.query);
          const errors = validate(options.subscriptions.apiSchema, document);
          if (errors.length > 0)
            return errors.map(
              (error) =>
                new GraphQLError(error.message, {
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
          const args: ExecutionArgs = {
            schema: options.subscriptions.apiSchema,
            document,
            operationName: payload.operationName ?? undefined,
            variableValues: payload.variables ?? {},
            contextValue: gatewayContext,
          };
          return args;
        } catch (error) {
          if (error instanceof PlatformError) return [graphqlErrorOf(error)];
          return [
            error instanceof GraphQLError
              ? new GraphQLError(error.message, { extensions: { code: 'GRAPHQL_PARSE_FAILED' } })
              : new GraphQLError('the operation could not be read'),
          ];
        }
      },
      execute: async (args) => {
        const { document, operationName, variableValues, contextValue } = args;
        return withErrors(
          await options.execute(
            { document, operationName: operationName ?? undefined, variables: variableValues ?? {} },
            contextValue as GatewayContext,
          ),
        );
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
    },
    sockets,
    12_000, // ping every 12 s
  );
  return async () => {
    await endpoint.dispose();
  };
}

async function connect(
  socket: Context<Record<string, unknown>, Connection>,
  { verifier, log }: GraphSocketOptions,
): Promise<boolean> {
  const { extra, connectionParams } = socket;
  const authorization = authorizationOf(connectionParams) ?? extra.request.headers.authorization;
  try {
    const viewer = await viewerOf(authorization, verifier);
    extra.gatewayContext = {
      viewer,
      authorization,
      requestId: requestIdOf(extra.request),
      traceparent: continued(extra.request.headers.traceparent),
      address: extra.request.socket.remoteAddress ?? '',
      userAgent: (extra.request.headers['user-agent'] ?? '').slice(0, 256),
    };
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

const requestIdOf = (request: IncomingMessage): string => {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : randomUUID();
};

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
