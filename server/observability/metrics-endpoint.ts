import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Express } from 'express';
import { unauthenticated } from '../errors.ts';
import { mountPage } from '../http/allowed-methods.ts';
import { ClientConnections } from '../http/client-connections.ts';
import { listen } from '../http/listen.ts';
import { contextOf } from '../http/request-context.ts';
import { unknownPath } from '../rest/mount-routes.ts';
import type { ServerSettings } from '../settings.ts';
import { formatFor, type Metrics, type MetricsFormat } from './metrics.ts';
import { END } from './openmetrics.ts';

type MetricsSettings = Pick<ServerSettings, 'demo' | 'host' | 'metricsPort' | 'metricsToken'>;

/**
 * `GET /metrics` at a server's own port. If METRICS_PORT is set, the route exists only at that port; if METRICS_TOKEN is set,
 * it needs that token. If neither is set, the route is public with demo data, else only for clients on this machine.
 */
export function mountMetrics(app: Express, metrics: Metrics, settings: MetricsSettings): void {
  app.all('/metrics', (req, res, next) => {
    const isAtOwnPort = settings.metricsPort !== undefined;
    const isOpen = settings.metricsToken !== undefined || settings.demo;
    if (isAtOwnPort || (!isOpen && !isLocal(req, contextOf(res).address))) return unknownPath(req, res, next);
    next();
  });
  mountPage(app, '/metrics', async (req, res) => {
    if (!hasToken(req, settings.metricsToken)) throw unauthenticated(TOKEN_NEEDED);
    const { contentType, body } = await metrics.text(formatFor(req.headers.accept));
    res.set('Content-Type', contentType).send(body);
  });
}

/**
 * Serves the metrics of all servers in this process at METRICS_PORT, if it is set. The first server opens the port, the
 * last one closes it. Returns a function that removes this server's metrics.
 */
export async function openMetricsPort(
  metrics: Metrics,
  settings: MetricsSettings,
): Promise<() => Promise<void>> {
  const { metricsPort } = settings;
  if (metricsPort === undefined) return async () => undefined;
  const listener = listeners.get(metricsPort) ?? new MetricsListener(settings.metricsToken);
  listeners.set(metricsPort, listener);
  const remove = async (): Promise<void> => {
    if (listener.remove(metrics) > 0) return;
    // Before the port is closed, so that a server that starts meanwhile opens the port again.
    if (listeners.get(metricsPort) === listener) listeners.delete(metricsPort);
    await listener.close();
  };
  try {
    await listener.add(metrics, metricsPort, settings.host);
  } catch (error) {
    await remove(); // so that a later start tries to open the port again
    throw error;
  }
  return remove;
}

const listeners = new Map<number, MetricsListener>();

class MetricsListener {
  private readonly members = new Set<Metrics>();
  private readonly server: Server;
  private readonly connections: ClientConnections;
  private listening: Promise<number> | undefined;

  constructor(token: string | undefined) {
    this.server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (req, res) => {
      req.resume();
      const path = req.url?.split('?', 1)[0];
      if (req.method !== 'GET' || path !== '/metrics') return void res.writeHead(404).end();
      if (!hasToken(req, token)) return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
      this.text(formatFor(req.headers.accept)).then(
        ({ contentType, body }) => res.writeHead(200, { 'Content-Type': contentType }).end(body),
        () => res.writeHead(500).end(),
      );
    });
    this.server.maxConnections = MAX_CONNECTIONS;
    this.connections = new ClientConnections(this.server);
  }

  async add(metrics: Metrics, port: number, host: string): Promise<void> {
    this.members.add(metrics);
    this.listening ??= listen(this.server, port, host, 'METRICS_PORT');
    await this.listening;
  }

  /** Removes a server's metrics, and returns how many other servers use the port. */
  remove(metrics: Metrics): number {
    this.members.delete(metrics);
    return this.members.size;
  }

  /** Closes the port, if it is open. */
  close(): Promise<void> {
    return this.connections.close(0);
  }

  private async text(format: MetricsFormat): Promise<{ contentType: string; body: string }> {
    const texts = await Promise.all([...this.members].map((metrics) => metrics.text(format)));
    const body = joined(texts.map((text) => text.body.replace(END, '')));
    return {
      contentType: texts[0]?.contentType ?? 'text/plain',
      body: format === 'openmetrics' ? body + END : body,
    };
  }
}

/** Each scraper uses one connection. */
const MAX_CONNECTIONS = 32;

/**
 * Joins several servers' metrics into one text. The samples of a metric must be grouped below one HELP and TYPE line
 * (Prometheus text format 0.0.4), and the process metrics, which every server reports, must appear once.
 */
function joined(bodies: readonly string[]): string {
  const metrics = new Map<string, Set<string>>();
  for (const body of bodies) {
    let lines = new Set<string>();
    for (const line of body.split('\n')) {
      const name = /^# HELP (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        lines = metrics.get(name) ?? new Set();
        metrics.set(name, lines);
      }
      if (line === '' || (line.startsWith('#') && lines.has(line))) continue;
      if (isRepeatedOfProcess(line, lines)) continue;
      lines.add(line);
    }
  }
  return `${[...metrics.values()].map((lines) => [...lines].join('\n')).join('\n')}\n`;
}

/** Whether the line is a sample of a process metric (without the label `service`) that `lines` contains already. */
function isRepeatedOfProcess(line: string, lines: ReadonlySet<string>): boolean {
  if (line.startsWith('#') || line.includes('service="')) return false;
  const series = line.slice(0, line.lastIndexOf(' '));
  for (const known of lines) if (known.startsWith(`${series} `)) return true;
  return false;
}

const TOKEN_NEEDED =
  'Present the metrics token of this installation as "Authorization: Bearer <METRICS_TOKEN>".';

/** Compares in constant time, so that the token cannot be guessed character by character. */
function hasToken({ headers }: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(sha256(given), sha256(token));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Both the connection and the client that a proxy on this machine reports must be local. */
const isLocal = ({ socket }: IncomingMessage, clientAddress: string): boolean =>
  isLoopback(socket.remoteAddress ?? '') && isLoopback(clientAddress);

const isLoopback = (address: string): boolean => /^(::ffff:)?127\.|^::1$/.test(address);
