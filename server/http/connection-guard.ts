import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS } from '../errors.ts';
import { FORWARDED_PROOF } from './forwarding-proof.ts';
import { Quota } from './quota.ts';

interface ConnectionGuardOptions {
  /** How many TCP connections one address may have at once. */
  connectionsPerAddress: number;
  /** Whether an address belongs to a trusted proxy, which has connections for many clients. */
  isTrusted(address: string, hop: number): boolean;
  /** Whether a request comes from a trusted proxy, by its address or by the gateway's proof. */
  isFromProxy(request: IncomingMessage): boolean;
  /** Default: 30 s. */
  readingPatienceMillis?: number | undefined;
}

/** A trusted proxy may have this many times the connections of a client. */
const PROXY_FACTOR = 10;
const CHECK_MILLIS = 1_000; // 1 s
/** A body may pause or be slow for this long, because mobile networks pause. */
const PATIENCE_MILLIS = 10_000; // 10 s
/** A client may pause for this long before it reads on: a proxy between them reads in larger steps than the client. */
const READING_PATIENCE_MILLIS = 30_000; // 30 s
/** The least average speed: of a body once its patience is over, and of reading in each time of patience. */
const MIN_BYTES_PER_SECOND = 1_024; // 1 KiB/s

interface Connection {
  /** The latest request and its response. */
  req: IncomingMessage | undefined;
  res: ServerResponse | undefined;
  /** The request whose body was incomplete at the last check. */
  incomplete: IncomingMessage | undefined;
  /** How long the server has waited for the body of `incomplete`, in milliseconds, without the time in which it did not read. */
  waitedMillis: number;
  /** How many bytes of the connection the server had read when it began to wait. */
  bytesBefore: number;
  /** What the client had not taken when the server began to wait for it; undefined if it has taken everything. */
  unread: Unread | undefined;
  /**
   * Whether the speed of reading is not checked here: the gateway waits for its own clients, and WebSockets have limits of their
   * own.
   */
  mayReadSlowly: boolean;
  /** Called when a request shows that the connection belongs to the gateway: from then on it counts as a proxy's. */
  becomesProxy(): void;
}

interface Unread {
  /** How long the server has waited since the client last read enough, in milliseconds. */
  waitedMillis: number;
  /** The bytes that the client had taken then. */
  readonly takenBefore: number;
}

/**
 * Prevents clients from occupying connections without using them: limits the connections of an address, answers a request
 * whose body arrives too slowly with 408, and disconnects a client that reads an answer too slowly, which keeps the answer in
 * memory. Node itself limits only the headers and the time of a whole request, which must be long enough for a large upload
 * over a slow network. The speed is checked once a second, so that each request has little to do.
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
      incomplete: undefined,
      waitedMillis: 0,
      bytesBefore: 0,
      unread: undefined,
      mayReadSlowly: false,
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
  // This listener runs before the application's, which may have read the body when it returns.
  server.prependListener('request', (req, res) => {
    const connection = connections.get(req.socket);
    if (!connection) return;
    connection.req = req;
    connection.res = res;
    if (!(FORWARDED_PROOF in req.headers) || !options.isFromProxy(req)) return;
    connection.mayReadSlowly = true;
    connection.becomesProxy();
  });
  server.prependListener('upgrade', (req) => {
    const connection = connections.get(req.socket);
    if (!connection) return;
    connection.mayReadSlowly = true;
    if (options.isFromProxy(req)) connection.becomesProxy();
  });
  const { readingPatienceMillis = READING_PATIENCE_MILLIS } = options;
  const timer = setInterval(() => {
    for (const [socket, connection] of connections) {
      checkBodySpeed(socket, connection);
      if (!connection.mayReadSlowly) checkReadingSpeed(socket, connection, readingPatienceMillis);
    }
  }, CHECK_MILLIS);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function checkBodySpeed(socket: Socket, connection: Connection): void {
  const { req, res } = connection;
  if (!req || !res || req.complete || req.socket !== socket) {
    // The connection has no incomplete body. The memory of the finished request can be freed.
    connection.req = connection.res = connection.incomplete = undefined;
    return;
  }
  if (connection.incomplete !== req) {
    connection.incomplete = req;
    connection.waitedMillis = 0;
    connection.bytesBefore = socket.bytesRead;
    return;
  }
  // The server does not read the body now, because it or the service to which it forwards the body is busy.
  if (socket.isPaused()) return;
  connection.waitedMillis += CHECK_MILLIS;
  const bytes = socket.bytesRead - connection.bytesBefore;
  const expected = (connection.waitedMillis / 1000) * MIN_BYTES_PER_SECOND;
  if (connection.waitedMillis >= PATIENCE_MILLIS && bytes < expected) refuse(socket, res);
}

function checkReadingSpeed(socket: Socket, connection: Connection, patienceMillis: number): void {
  if (socket.writableLength === 0) {
    connection.unread = undefined;
    return;
  }
  const taken = takenBytes(socket);
  const { unread } = connection;
  if (!unread) {
    connection.unread = { waitedMillis: 0, takenBefore: taken };
    return;
  }
  unread.waitedMillis += CHECK_MILLIS;
  if (unread.waitedMillis < patienceMillis) return;
  const expected = (unread.waitedMillis / 1000) * MIN_BYTES_PER_SECOND;
  if (taken - unread.takenBefore < expected) socket.destroy();
  // What was read so far does not count again: a client that has read much and then stops would otherwise stay for hours.
  else connection.unread = { waitedMillis: 0, takenBefore: taken };
}

interface Handle {
  /** The bytes that Node has given to the handle, and those of them that the operating system has not taken yet. */
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

/**
 * The bytes of the connection that the operating system has taken for the client. `socket.bytesWritten` also counts those that
 * are still in this process. Only the handle distinguishes them; Node, too, reads it for the time limits of sockets.
 */
function takenBytes(socket: Socket & { _handle?: Handle | null }): number {
  // oxlint-disable-next-line no-underscore-dangle -- Node has no public name for it
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {};
  return bytesWritten - writeQueueSize;
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
