import { createServer, type RequestListener, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import type { ServerSettings } from '../settings.ts';
import { StartError } from '../start-error.ts';
import { guardConnections } from './connection-guard.ts';
import type { RequestOrigins } from './request-origin.ts';

/** An HTTP server for `listener` with limits against slow clients; it does not listen yet. */
export function httpServerFor(
  listener: RequestListener,
  { rateLimits, socketsPerAddress }: Pick<ServerSettings, 'rateLimits' | 'socketsPerAddress'>,
  origins: RequestOrigins,
  limits: { readingPatienceMillis?: number } = {},
): Server {
  const server = createServer(
    {
      headersTimeout: 10_000, // 10 s
      // 5 min for the whole request, which includes the time in which this server is too busy to read an upload. A client
      // that sends slowly is refused much earlier, by `guardConnections`.
      requestTimeout: 300_000,
      keepAliveTimeout: 65_000, // longer than common load balancers' 60 s
      // By default Node checks `headersTimeout` and `requestTimeout` only every 30 s.
      connectionsCheckingInterval: 1_000, // 1 s
      maxHeaderSize: 32 * 1024, // 32 KiB
    },
    listener,
  );
  const connectionsPerAddress = rateLimits ? socketsPerAddress : Infinity;
  guardConnections(server, {
    connectionsPerAddress,
    isTrusted: origins.isTrusted,
    isFromProxy: (request) => origins.isFromProxy(request),
    ...limits,
  });
  return server;
}

/** Another process listens on the port. */
export class PortInUseError extends StartError {
  readonly port: number;
  constructor(port: number, variable: string) {
    super(
      `Port ${port} is in use. Stop the process that listens there (to find it: lsof -i :${port}), or choose another port with ${variable}.`,
    );
    this.name = 'PortInUseError';
    this.port = port;
  }
}

/** Listens; resolves to the port. @param variable the setting that the error names @throws PortInUseError */
export function listen(server: Server, port: number, host: string, variable: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(port, variable) : error),
    );
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** The URL of a server that listens at `host`. A server that listens at all addresses is also at the loopback address. */
export function urlAt(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
