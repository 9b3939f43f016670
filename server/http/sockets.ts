import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Metrics } from '../observability/metrics.ts';
import type { ServerSettings } from '../settings.ts';
import { isAllowedOrigin } from './response-headers.ts';
import { Quota } from './quota.ts';
import type { RequestOrigins } from './request-origin.ts';

/** Handles an upgrade. Returns false if it does not handle it. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

export interface Sockets {
  /** Adds a WebSocket endpoint at `path`. `protocols` are its sub-protocols, the preferred one first. */
  endpoint(path: string, protocols: readonly string[], maxPayloadBytes: number): WebSocketServer;
  /**
   * Refuses further sockets, and closes every open one with 1001, so that clients connect to another replica. Many sockets
   * are closed one after the other, so that their clients do not all connect at the same moment.
   */
  close(): Promise<void>;
}

/** How many sockets are closed per second, unless that would take longer than `CLOSE_WITHIN_MILLIS`. */
const CLOSED_PER_SECOND = 100;
/** Within this time the server closes its side of all sockets. */
const CLOSE_WITHIN_MILLIS = 3_000; // 3 s
/** A client that does not close its side within this time is disconnected. */
const CLOSE_ANSWER_MILLIS = 1_000; // 1 s

interface SocketsOptions {
  settings: ServerSettings;
  metrics: Metrics;
  origins: RequestOrigins;
  /** Handles upgrades at paths without an endpoint. Default: they get 404. */
  onUnknownPath?: Upgrade;
}

/**
 * One `upgrade` handler for all socket endpoints of a server. Browsers send the page's `Origin`, but apply no CORS to
 * sockets. So the handler itself answers 403 to an origin that may not call over HTTP.
 */
export function createSockets(
  server: Server,
  { settings, metrics, origins, onUnknownPath }: SocketsOptions,
): Sockets {
  const endpoints = new Map<string, WebSocketServer>();
  const perAddress = new Quota(settings.rateLimits ? settings.socketsPerAddress : Infinity);
  let isClosing = false;

  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => socket.destroy());
    const endpoint = endpoints.get((request.url ?? '').split('?', 1)[0] ?? '');
    const { origin } = request.headers;
    if (
      origin !== undefined &&
      !isAllowedOrigin(origin, settings) &&
      !isSameOrigin(origin, request.headers.host)
    )
      return refuse(socket, '403 Forbidden');
    if (isClosing) return refuse(socket, '503 Service Unavailable');
    if (!endpoint) {
      if (!onUnknownPath?.(request, socket, head)) refuse(socket, '404 Not Found');
      return;
    }
    const address = origins.addressOf(request);
    if (!perAddress.enter(address)) return refuse(socket, '429 Too Many Requests');
    socket.once('close', () => perAddress.leave(address));
    endpoint.handleUpgrade(request, socket, head, (webSocket) => {
      metrics.openSockets.inc();
      webSocket.once('close', () => metrics.openSockets.dec());
      endpoint.emit('connection', webSocket, request);
    });
  });

  return {
    endpoint(path, protocols, maxPayload) {
      const endpoint = new WebSocketServer({
        noServer: true,
        maxPayload,
        // The preferred protocol among those that the client offers; if there is none, the connection has no protocol.
        handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
      });
      endpoints.set(path, endpoint);
      return endpoint;
    },
    async close() {
      isClosing = true;
      const clients = [...endpoints.values()].flatMap((endpoint) => [...endpoint.clients]);
      // The other half of the grace period remains for the requests that are still running.
      await oneAfterTheOther(clients, closeClient, settings.stopGracePeriodMillis / 2);
    },
  };
}

/**
 * Closes the sockets one after the other, at even intervals. Resolves when all are closed.
 * @param withinMillis the maximum time until the closing of the last socket begins; never longer than `CLOSE_WITHIN_MILLIS`
 */
export async function oneAfterTheOther<Socket>(
  sockets: readonly Socket[],
  closeOne: (socket: Socket) => Promise<void>,
  withinMillis: number,
): Promise<void> {
  const wholeMillis = Math.min(
    CLOSE_WITHIN_MILLIS,
    withinMillis,
    (sockets.length * 1_000) / CLOSED_PER_SECOND,
  );
  const startedAt = performance.now();
  const closing: Promise<void>[] = [];
  for (const [index, socket] of sockets.entries()) {
    const millisLeft = startedAt + (wholeMillis * index) / sockets.length - performance.now();
    if (millisLeft > 1) await sleep(millisLeft);
    closing.push(closeOne(socket));
  }
  await Promise.all(closing);
}

function closeClient(client: WebSocket): Promise<void> {
  if (client.readyState === client.CLOSED) return Promise.resolve();
  return new Promise((resolve) => {
    const late = setTimeout(() => client.terminate(), CLOSE_ANSWER_MILLIS);
    client.once('close', () => {
      clearTimeout(late);
      resolve();
    });
    client.close(1001, 'the server stops; connect again');
  });
}

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).host === host;

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
