import { CloseCode, type Context } from 'graphql-ws';
import type { Extra } from 'graphql-ws/use/ws';
import { viewerOf } from '#server/auth/authenticate.ts';
import type { TokenVerifier } from '#server/auth/token-verifier.ts';
import { closeIdle, Idleness } from '#server/http/idle-sockets.ts';
import type { Quota } from '#server/http/quota.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import { socketsPerUser, TOO_MANY_SOCKETS, type SocketSettings } from '#server/http/socket-limits.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { clientNameIn } from '../usage/client-name.ts';
import { TokenWatch } from '../context/token-watch.ts';

export interface ConnectionsOptions {
  verifier: TokenVerifier;
  origins: RequestOrigins;
  settings: SocketSettings;
  log: Logger;
}

/** The state of a socket; graphql-ws passes it to every hook as `extra`. */
export type Connection = Extra &
  Partial<Record<PropertyKey, never>> & {
    gatewayContext?: GatewayContext;
    /** Ends the watch over the access token. */
    unwatch?: () => void;
    idleness?: Idleness;
    /** The running operations by id. */
    operations?: Readonly<Record<string, unknown>>;
  };

export type SocketContext = Context<Record<string, unknown>, Connection>;

const CHECK_IDLE_MILLIS = 2_500; // 2.5 s

/** The open sockets whose `connection_init` was accepted: of clients with a valid token, and of anonymous ones. */
export class Connections {
  private readonly options: ConnectionsOptions;
  private readonly open = new Set<Connection>();
  private readonly perUser: Quota;
  private readonly tokens: TokenWatch;
  private readonly checking: NodeJS.Timeout;

  constructor(options: ConnectionsOptions) {
    this.options = options;
    this.perUser = socketsPerUser(options.settings);
    this.tokens = new TokenWatch(options.verifier);
    this.checking = setInterval(() => closeIdle(this.open), CHECK_IDLE_MILLIS).unref();
  }

  /** @returns false if the socket may not be used */
  async add(socket: SocketContext): Promise<boolean> {
    const { extra } = socket;
    if (!(await authenticate(socket, this.options))) return false;
    // If the socket closed meanwhile, graphql-ws does not call onClose, so nothing would remove it from `open`.
    if (extra.socket.readyState !== extra.socket.OPEN) return false;
    const user = userOf(extra);
    if (user !== undefined && !this.perUser.enter(user)) {
      extra.socket.close(TOO_MANY_SOCKETS, 'This user has too many sockets; close one of them.');
      return false;
    }
    extra.idleness = new Idleness(this.options.settings);
    extra.operations = socket.subscriptions;
    this.open.add(extra);
    if (extra.gatewayContext)
      extra.unwatch = this.tokens.watch(extra.gatewayContext.viewer, (reason) =>
        extra.socket.close(CloseCode.Forbidden, reason),
      );
    return true;
  }

  remove(connection: Connection): void {
    connection.unwatch?.();
    const user = userOf(connection);
    if (this.open.delete(connection) && user !== undefined) this.perUser.leave(user);
  }

  stop(): void {
    clearInterval(this.checking);
    this.tokens.stop();
  }
}

const userOf = ({ gatewayContext }: Connection): string | undefined =>
  gatewayContext?.viewer.kind === 'user' ? gatewayContext.viewer.userId : undefined;

/** @returns false for an invalid token; graphql-ws then closes the socket with 4403 */
async function authenticate(
  socket: SocketContext,
  { verifier, origins, log }: ConnectionsOptions,
): Promise<boolean> {
  const { extra, connectionParams } = socket;
  const authorization = authorizationOf(connectionParams) ?? extra.request.headers.authorization;
  try {
    const viewer = await viewerOf(authorization, verifier);
    const clientName = clientNameIn(extra.request.headers);
    const incrementalForm = connectionParams?.['incrementalSpec'] === 'v0.2' ? 'v0.2' : '2022';
    extra.gatewayContext = {
      ...origins.of(extra.request),
      authorization,
      viewer,
      clientName,
      incrementalForm,
    };
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
