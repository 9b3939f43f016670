import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Metrics } from '../observability/metrics.ts';
import type { ServerSettings } from '../settings.ts';
import { isAllowedOrigin } from './response-headers.ts';
import { Quota } from './quota.ts';
import type { RequestOrigins } from './request-origin.ts';

/** Handles an upgrade for which there is no endpoint. Returns false if it does not handle the upgrade. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

export interface Sockets {
  /** Adds a WebSocket endpoint at `path`. `protocols` are its sub-protocols, the preferred one first. */
  endpoint(path: string, protocols: readonly string[], maxPayloadBytes: number): WebSocketServer;
  /** Closes every socket with 1001, so that clients reconnect to another replica. */
  close(): Promise<void>;
}

interface SocketsOptions {
  settings: ServerSettings;
  metrics: Metrics;
  origins: RequestOrigins;
  otherwise?: Upgrade;
}

/**
 * One `upgrade` handler for all socket endpoints of a server. Browsers send the page's `Origin`, but apply no CORS to
 * sockets. So the handler itself answers 403 to an origin that may not call over HTTP.
 */
export function createSockets(
  server: Server,
  { settings, metrics, origins, otherwise }: SocketsOptions,
): Sockets {
  const endpoints = new Map<string, WebSocketServer>();
  const perAddress = new Quota(settings.rateLimits ? settings.socketsPerAddress : Infinity);

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
    if (!endpoint) {
      if (!otherwise?.(request, socket, head)) refuse(socket, '404 Not Found');
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
      await Promise.all(
        [...endpoints.values()].map(async (endpoint) => {
          for (const client of endpoint.clients) client.close(1001, 'the server stops; connect again');
          const late = setTimeout(() => endpoint.clients.forEach((client) => client.terminate()), 1_000); // 1 s
          await new Promise<void>((resolve) => endpoint.close(() => resolve()));
          while (endpoint.clients.size > 0)
            await new Promise((resolve) => [...endpoint.clients][0]?.once('close', resolve));
          clearTimeout(late);
        }),
      );
    },
  };
}

const isSameOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).host === host;

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
