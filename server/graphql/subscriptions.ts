import type { IncomingMessage } from 'node:http';
import {
  execute,
  getOperationAST,
  OperationTypeNode,
  parse,
  validate,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Context, SubscribePayload } from 'graphql-ws';
import { useServer, type Extra } from 'graphql-ws/use/ws';
import type { WebSocketServer } from 'ws';
import { viewerOf } from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { refusalOfDatabase } from '../database/refusals.ts';
import { forbidden, PlatformError } from '../errors.ts';
import { closeIdle, Idleness } from '../http/idle-sockets.ts';
import { checkOperations, type SocketSettings } from '../http/socket-limits.ts';
import { eventOf, type EventDelays } from '../observability/event-cause.ts';
import type { Logger } from '../observability/logger.ts';
import { SpanKind, type Tracing } from '../observability/tracing.ts';
import { validated } from '../validate.ts';
import { AudienceMessage, Audiences, type Audience } from '../audience.ts';
import { graphqlErrorOf } from './errors.ts';
import { eventStream, withPublicErrors, type EventStreamArgs } from './event-stream.ts';
import { mayIntrospect, withoutSuggestion } from './introspection.ts';
import type { OperationChecks } from './operation-checks.ts';

interface SubscriptionEndpointOptions {
  schema: GraphQLSchema;
  checks: OperationChecks;
  verifier: TokenVerifier;
  settings: SocketSettings;
  log: Logger;
  /** Creates a new context for every event, because rights and loaded rows must not be as old as the subscription. */
  contextFor(authorization: string | undefined, request: IncomingMessage): Promise<object>;
  delays: EventDelays;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

/** Additional properties of a connection. */
type Connection = Extra &
  Partial<Record<PropertyKey, never>> & {
    audiences?: Audiences;
    /**
     * Whether the socket has proved that it belongs to the gateway. The number of its operations is not limited, because they belong
     * to many users.
     */
    isGateway?: boolean;
    /** Absent on the gateway's sockets, which stay open for the gateway's next client. */
    idleness?: Idleness;
    /** The running operations by id. */
    operations?: Readonly<Record<string, unknown>>;
  };

/** The interval of the check for idle sockets. */
const CHECK_IDLE_MILLIS = 2_500; // 2.5 s

/** The name of the service whose token identifies the gateway's sockets. */
const GATEWAY = 'gateway';

/**
 * Serves the schema over WebSocket (graphql-transport-ws). Each operation has its own viewer: the owner of the token in
 * `extensions.authorization` of its subscribe message (the gateway sends operations of many users over one socket), else
 * in `Authorization` of the connection parameters. If the connection parameters contain the gateway's own token as
 * `gateway` or `gatewayCarrier`, the number of the socket's operations is not limited; with `gateway`, the socket may also
 * subscribe for whole audiences (gateway/subscriptions/PROTOCOL.md). Returns a function that stops the endpoint.
 */
export function serveSubscriptions(
  sockets: WebSocketServer,
  options: SubscriptionEndpointOptions,
): () => Promise<void> {
  const open = new Set<Connection>();
  const idleCheck = setInterval(() => closeIdle(open), CHECK_IDLE_MILLIS);
  idleCheck.unref();
  const endpoint = useServer<Record<string, unknown>, Connection>(
    {
      schema: options.schema,
      onConnect: async (socket) => {
        const { extra } = socket;
        if (!(await admit(socket, options))) return false;
        if (extra.socket.readyState !== extra.socket.OPEN || extra.isGateway) return true;
        extra.idleness = new Idleness(options.settings);
        extra.operations = socket.subscriptions;
        open.add(extra);
        return true;
      },
      onClose: ({ extra }) => {
        open.delete(extra);
        extra.audiences?.dispose();
      },
      onSubscribe: async (socket, _id, payload) => {
        socket.extra.idleness?.interrupt();
        try {
          if (!socket.extra.isGateway)
            checkOperations(Object.keys(socket.subscriptions).length, options.settings);
          return await argsOf(payload, socket, options);
        } catch (thrown) {
          const error = refusalOfDatabase(thrown) ?? thrown;
          if (error instanceof PlatformError) return [graphqlErrorOf(error)];
          if (error instanceof GraphQLError) return [error];
          throw error;
        }
      },
      execute: async (args) => withPublicErrors(await execute(args), options.log),
      subscribe: (args) => eventStream(args as EventStreamArgs, options.log),
    },
    sockets,
    25_000, // ping every 25 s
  );
  return async () => {
    clearInterval(idleCheck);
    await endpoint.dispose();
  };
}

/**
 * Whether the socket is accepted. If the token in `gateway` is invalid, the socket is refused, so that the gateway tries
 * again with a new token.
 */
async function admit(
  { connectionParams, extra }: Context<Record<string, unknown>, Connection>,
  { verifier, log }: SubscriptionEndpointOptions,
): Promise<boolean> {
  const carrier = stringIn(connectionParams, 'gatewayCarrier');
  // With an invalid token in `gatewayCarrier`, a socket is accepted as a client's.
  if (carrier !== undefined) extra.isGateway = await isGatewayToken(carrier, verifier).catch(() => false);
  const token = stringIn(connectionParams, 'gateway');
  if (token === undefined) return true;
  try {
    if (!(await isGatewayToken(token, verifier))) return false;
  } catch (error) {
    log.debug({ err: error }, 'a socket with a token of the gateway was refused');
    return false;
  }
  extra.isGateway = true;
  extra.audiences = new Audiences();
  return true;
}

async function isGatewayToken(token: string, verifier: TokenVerifier): Promise<boolean> {
  const viewer = await viewerOf(token, verifier);
  return viewer.kind === 'service' && viewer.service === GATEWAY;
}

/** The execution arguments of the operation, or its errors. @throws PlatformError */
async function argsOf(
  payload: SubscribePayload,
  socket: Context<Record<string, unknown>, Connection>,
  options: SubscriptionEndpointOptions,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const authorization =
    stringIn(payload.extensions, 'authorization') ?? stringIn(socket.connectionParams, 'authorization');
  const { checks, schema, verifier } = options;
  const viewer = await viewerOf(authorization, verifier);
  checks.checkText(payload.query, viewer);
  const document = parse(payload.query);
  const errors = validate(schema, document);
  if (errors.length > 0)
    return mayIntrospect(viewer, checks.introspection)
      ? errors
      : errors.map((error) => new GraphQLError(withoutSuggestion(error.message), { nodes: error.nodes }));
  const operation = getOperationAST(document, payload.operationName);
  if (operation) checks.checkOperation(document, operation, payload.variables, viewer);
  const audience = audienceOf(payload.extensions, socket, authorization);
  const endAudience = (): void => audience && socket.extra.audiences?.end(audience.id);
  try {
    return {
      schema,
      document,
      operationName: payload.operationName,
      variableValues: payload.variables,
      ...(await eventArgs(authorization, audience, socket.extra.request, options)),
      onEnd: endAudience,
      namesCause: socket.extra.isGateway === true,
      begin: (field, cause) =>
        options.tracing?.start(`event ${field}`, cause, {
          kind: SpanKind.consumer,
          attributes: eventOf(field),
        }),
      onDelivered: (field, seconds) => options.delays.of(field).observe(seconds),
    } as EventStreamArgs;
  } catch (error) {
    // A subscription that fails here never calls `onEnd`.
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) endAudience();
    throw error;
  }
}

/**
 * Applies the changes of members in a subscribe message to the audience that it names.
 * @returns this audience; undefined if the message names none
 * @throws FORBIDDEN for all callers but the gateway
 */
function audienceOf(
  extensions: Record<string, unknown> | null | undefined,
  { extra }: Context<Record<string, unknown>, Connection>,
  authorization: string | undefined,
): { id: string; members: Audience } | undefined {
  if (extensions?.audience === undefined) return undefined;
  if (!extra.audiences) throw forbidden('Only the gateway may subscribe for an audience.');
  const message = validated(AudienceMessage, extensions.audience);
  const members = extra.audiences.of(message.id);
  if (authorization) members.authorization = authorization;
  members.receive(message);
  return { id: message.id, members };
}

/** The execution arguments that depend on a token: that of the subscribe message, or the latest one of the audience. */
async function eventArgs(
  authorization: string | undefined,
  audience: { members: Audience } | undefined,
  request: IncomingMessage,
  { contextFor, verifier }: SubscriptionEndpointOptions,
): Promise<Pick<EventStreamArgs, 'contextValue' | 'contextFor' | 'checkViewer' | 'audience'>> {
  const members = audience?.members;
  const token = () => members?.authorization ?? authorization;
  const context = async () => ({
    ...(await contextFor(token(), request)),
    ...(members && { audience: members }),
  });
  return {
    contextValue: await context(),
    contextFor: context,
    checkViewer: () => viewerOf(token(), verifier),
    audience: members,
  };
}

/** The string with this name in a record; names are compared without regard to case. */
function stringIn(record: unknown, name: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const entry = Object.entries(record).find(([key]) => key.toLowerCase() === name.toLowerCase());
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
}
