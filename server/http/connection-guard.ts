import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS } from '../errors.ts';
import { FORWARDED_PROOF } from './forwarding-proof.ts';
import { Quota } from './quota.ts';

export interface ConnectionGuardOptions {
  /** Most TCP connections of one address at once. */
  connectionsPerAddress: number;
  /** Whether an address is that of a trusted proxy, which has connections for many clients. */
  isTrusted(address: string, hop: number): boolean;
  /** Whether a request comes from a trusted proxy of any address. */
  isFromProxy(request: IncomingMessage): boolean;
}

/** A trusted proxy may have so many times the connections of a client. */
const PROXY_FACTOR = 10;
const LOOK_MILLIS = 1_000; // 1 s
/** A body may be slow for so long, since a mobile network may pause. */
const PATIENCE_MILLIS = 10_000; // 10 s
/** After that it must have come with this many bytes a second on average. */
const MIN_BYTES_PER_SECOND = 1_024; // 1 KiB/s

interface Connection {
  /** The latest request and its answer. */
  req: IncomingMessage | undefined;
  res: ServerResponse | undefined;
  /** The request whose body was not complete at the last look. */
  slow: IncomingMessage | undefined;
  /** How long the server has waited for that body, in milliseconds; not while it does not read. */
  waitedMillis: number;
  bytesBefore: number;
  /** Its first request has shown that it is the gateway's: it counts for a proxy from now on. */
  becomesProxy(): void;
}

/**
 * Keeps clients from holding connections for nothing: bounds the connections of an address, and answers a request whose
 * body comes too slowly with 408. Node's own limits are on headers and on the time of a whole request, in which a
 * large upload over a slow network has to fit. Costs a request two assignments; all else is done once a second.
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
  // Before the application's own listener, which may have read the body when it returns.
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
  }, LOOK_MILLIS);
  looking.unref();
  server.once('close', () => clearInterval(looking));
}

function look(socket: Socket, connection: Connection): void {
  const { req, res } = connection;
  if (!req || !res || req.complete || req.socket !== socket) {
    // What has ended is not kept until the next request.
    connection.req = connection.res = connection.slow = undefined;
    return;
  }
  if (connection.slow !== req) {
    connection.slow = req;
    connection.waitedMillis = 0;
    connection.bytesBefore = socket.bytesRead;
    return;
  }
  // It is this server that does not read, or a service behind the gateway's proxy.
  if (socket.isPaused()) return;
  connection.waitedMillis += LOOK_MILLIS;
  const bytes = socket.bytesRead - connection.bytesBefore;
  const expected = (connection.waitedMillis / 1000) * MIN_BYTES_PER_SECOND;
  if (connection.waitedMillis >= PATIENCE_MILLIS && bytes < expected) refuse(socket, res);
}

function refuse(socket: Socket, res: ServerResponse): void {
  if (res.headersSent) return void socket.destroy();
  const { status, title } = ERRORS.REQUEST_TIMEOUT;
  const detail = `The body came with less than ${MIN_BYTES_PER_SECOND} bytes a second; send the request again over a faster connection.`;
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
