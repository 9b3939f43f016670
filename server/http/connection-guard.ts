import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS } from '../errors.ts';
import { FORWARDED_PROOF } from './forwarding-proof.ts';
import { Quota } from './quota.ts';

interface ConnectionGuardOptions {
  /** The most TCP connections that one address may have at once. */
  connectionsPerAddress: number;
  /** Whether an address is that of a trusted proxy, which has connections for many clients. */
  isTrusted(address: string, hop: number): boolean;
  /** Whether a request comes from a trusted proxy of any address. */
  isFromProxy(request: IncomingMessage): boolean;
}

/** A trusted proxy may have this many times the connections of a client. */
const PROXY_FACTOR = 10;
const CHECK_MILLIS = 1_000; // 1 s
/** A body may pause or be slow for this long, because mobile networks do. */
const PATIENCE_MILLIS = 10_000; // 10 s
/** After that, its average must be at least this many bytes a second. */
const MIN_BYTES_PER_SECOND = 1_024; // 1 KiB/s

interface Connection {
  /** The latest request and its response. */
  req: IncomingMessage | undefined;
  res: ServerResponse | undefined;
  /** The request whose body was incomplete at the last check. */
  slow: IncomingMessage | undefined;
  /** How long the server has waited for that body, in milliseconds; the time while the server itself does not read does not count. */
  waitedMillis: number;
  bytesBefore: number;
  /** Called when its first request shows that it belongs to the gateway: from then on it counts as a proxy's. */
  becomesProxy(): void;
}

/**
 * Keeps clients from occupying connections without use: limits the connections of an address, and answers a request whose
 * body arrives too slowly with 408. Node's own limits are for headers and for the time of a whole request, in which a large
 * upload over a slow network must fit. A request costs two assignments; everything else runs once a second.
 */
export function guardConnections(server: Server, options: ConnectionGuardOptions): void {
  const connections = new Map<Socket, Connection>();
  const perAddress = new Quota(options.connectionsPerAddress);
  const perProxy = new Quota(options.connectionsPerAddress * PROXY_FACTOR);
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    let quota = options.isTrusted(address, 0) ? perProxy : perAddress;
    if (!quota.enter(address)) return void socket.destroy();
    connections.set(socket, {
      req: undefined,
      res: undefined,
      slow: undefined,
      waitedMillis: 0,
      bytesBefore: 0,
      becomesProxy() {
        if (quota === perProxy || !perProxy.enter(address)) return;
        quota.leave(address);
        quota = perProxy;
      },
    });
    socket.once('close', () => {
      quota.leave(address);
      connections.delete(socket);
    });
  });
  // Before the application's own listener, which may have read the body by the time it returns.
  server.prependListener('request', (req, res) => {
    const connection = connections.get(req.socket);
    if (!connection) return;
    connection.req = req;
    connection.res = res;
    if (FORWARDED_PROOF in req.headers && options.isFromProxy(req)) connection.becomesProxy();
  });
  server.prependListener('upgrade', (req) => {
    if (options.isFromProxy(req)) connections.get(req.socket)?.becomesProxy();
  });
  const looking = setInterval(() => {
    for (const [socket, connection] of connections) look(socket, connection);
  }, CHECK_MILLIS);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

function look(socket: Socket, connection: Connection): void {
  const { req, res } = connection;
  if (!req || !res || req.complete || req.socket !== socket) {
    // Lets go of a finished request before the next one.
    connection.req = connection.res = connection.slow = undefined;
    return;
  }
  if (connection.slow !== req) {
    connection.slow = req;
    connection.waitedMillis = 0;
    connection.bytesBefore = socket.bytesRead;
    return;
  }
  // The server itself, or a service behind the gateway's proxy, is not reading.
  if (socket.isPaused()) return;
  connection.waitedMillis += CHECK_MILLIS;
  const bytes = socket.bytesRead - connection.bytesBefore;
  const expected = (connection.waitedMillis / 1000) * MIN_BYTES_PER_SECOND;
  if (connection.waitedMillis >= PATIENCE_MILLIS && bytes < expected) refuse(socket, res);
}

function refuse(socket: Socket, res: ServerResponse): void {
  if (res.headersSent) return void socket.destroy();
  const { status, title } = ERRORS.REQUEST_TIMEOUT;
  const detail = `The body arrived at less than ${MIN_BYTES_PER_SECOND} bytes a second; send the request again over a faster connection.`;
  const problem = {
    type: 'urn:fitness-platform:error:REQUEST_TIMEOUT',
    title,
    status,
    detail,
    code: 'REQUEST_TIMEOUT',
  };
  res.writeHead(status, { 'Content-Type': 'application/problem+json', Connection: 'close' });
  res.end(JSON.stringify(problem), () => socket.destroySoon());
}
