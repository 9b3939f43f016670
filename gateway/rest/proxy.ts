import https from 'node:https';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { contextFor } from '#server/http/request-context.ts';
import { outcomeOf, requestLog } from '#server/http/request-log.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import { isPreflight, responseHeaders } from '#server/http/response-headers.ts';
import type { Upgrade } from '#server/http/sockets.ts';
import { TIME_LIMIT_HEADER } from '#server/http/waiting-client.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { classOfRequest, waitsForEvents } from '#server/observability/operation-class.ts';
import { callSpan, endCall } from '#server/observability/call-span.ts';
import { withSpan } from '#server/observability/tracing.ts';
import { unknownPath } from '#server/rest/mount-routes.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { RecentWriters } from '../cache/recent-writers.ts';
import type { Router, TlsOptions } from '../router-file/router.ts';
import type { GatewaySettings } from '../settings.ts';
import { UPLOAD_TIME_FACTOR } from '../subgraphs/http-subgraph.ts';
import { ForwardedRequest } from './forwarded-request.ts';
import { ForwardedSockets } from './forwarded-sockets.ts';
import { setForwardingHeaders } from './forwarding-headers.ts';
import { removeHopByHop } from './hop-by-hop-headers.ts';
import { isPrivatePath } from './private-paths.ts';
import { ServiceConnections } from './service-connections.ts';

interface ProxyOptions {
  settings: GatewaySettings;
  router: Router;
  origins: RequestOrigins;
  /** By service: the proof that the gateway has written the forwarding headers. */
  proofs: ReadonlyMap<string, string>;
  /** Is notified of requests that may write; undefined without a shared cache. */
  writers: Pick<RecentWriters, 'onForwarded'> | undefined;
  metrics: Metrics;
  log: Logger;
}

/** `/gym/locations?x=1`, also as the absolute form of RFC 9112, 3.2.2: the service, and the rest of the target. */
const TARGET = new RegExp(
  `^(?:[a-z][a-z\\d+.-]*://[^/?#]*)?/(${SERVICE_NAMES.join('|')})(?=[/?]|$)(.*)$`,
  'is',
);

/** Methods that change nothing at the service (RFC 9110, section 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The maximum number of connections to each service for requests that wait for events. These have connections of their own,
 * so that no other request waits behind them.
 */
const WAITING_CONNECTIONS = 1_000;

/**
 * The time limit while no byte of a forwarded request or of its response arrives. Pictures, imports and exports take longer
 * than a query.
 */
const timeLimitMillis = (settings: GatewaySettings): number =>
  settings.subgraphMutationTimeoutMillis * UPLOAD_TIME_FACTOR;

/**
 * Forwards `/<service>/...` to that service without the prefix, streamed in both directions; WebSockets, too.
 *
 * A forwarded request does not pass through Express and its middleware, which would take two thirds of the gateway's
 * processor time for it (`npm run bench:rest`). Both ways write log line, metrics and headers by the same functions.
 */
export class RestProxies {
  private readonly options: ProxyOptions;
  private readonly app: Express;
  private readonly connections: ReadonlyMap<string, ServiceConnections>;
  private readonly waitingConnections: ReadonlyMap<string, ServiceConnections>;
  private readonly sockets: ReadonlyMap<string, ReturnType<typeof socketsTo>>;
  private readonly forwardedSockets: ForwardedSockets;
  private readonly onEnd: ReturnType<typeof requestLog>;
  private readonly timeLimit: string;

  constructor(app: Express, options: ProxyOptions) {
    const { settings, router } = options;
    this.app = app;
    this.options = options;
    this.onEnd = requestLog(options);
    this.timeLimit = String(timeLimitMillis(settings));
    this.forwardedSockets = new ForwardedSockets(timeLimitMillis(settings));
    const byService = <Value>(valueOf: (service: ServiceName) => Value) =>
      new Map<string, Value>(SERVICE_NAMES.map((service) => [service, valueOf(service)]));
    const connectionsOf = (connections: number) =>
      byService(
        (service) =>
          new ServiceConnections(urlOf(service, settings), {
            connections,
            idleMillis: timeLimitMillis(settings),
            tls: router.tlsOf(service),
          }),
      );
    this.connections = connectionsOf(settings.subgraphConnections);
    this.waitingConnections = connectionsOf(WAITING_CONNECTIONS);
    this.sockets = byService((service) => socketsTo(service, options));
    // Express answers preflight requests, and 404 to private paths.
    for (const service of SERVICE_NAMES) app.use(`/${service}`, unknownPath);
  }

  /** Forwards the requests below the services' prefixes, and passes all others on. */
  listener(others: RequestListener): RequestListener {
    return (req, res) => {
      const [, name, rest] = (!isPreflight(req) && TARGET.exec(req.url ?? '')) || [];
      const service = name?.toLowerCase();
      const path = rest?.startsWith('/') ? rest : `/${rest ?? ''}`;
      const pools = waitsForEvents(path) ? this.waitingConnections : this.connections;
      const connections = service === undefined ? undefined : pools.get(service);
      if (service === undefined || !connections) return others(req, res);
      if (isPrivatePath(path)) return others(req, res);
      this.forward(req, res, { service, path, connections });
    };
  }

  /** Handles the upgrades below the services' prefixes. */
  readonly upgrade: Upgrade = (request, socket, head) => {
    const [, service = '', rest] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const proxy = this.sockets.get(service);
    if (!proxy || !rest || isPrivatePath(rest)) return false;
    request.url = rest;
    const { origins, proofs } = this.options;
    setForwardingHeaders(request, { origins, proof: proofs.get(service), prefix: `/${service}` });
    this.forwardedSockets.add(socket);
    proxy.upgrade(request as Request, socket as Socket, head);
    return true;
  };

  /** Closes the forwarded WebSockets with 1001. */
  closeSockets(): Promise<void> {
    // The other half of the grace period remains for the requests that are still running.
    return this.forwardedSockets.close(this.options.settings.stopGracePeriodMillis / 2);
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.connections.values(), ...this.waitingConnections.values()].map((one) => one.close()),
    );
  }

  private forward(
    req: IncomingMessage,
    res: ServerResponse,
    { service, path, connections }: { service: string; path: string; connections: ServiceConnections },
  ): void {
    const startedAt = performance.now();
    const { origins, proofs, log, settings, writers } = this.options;
    const { authorization } = req.headers;
    const mayWrite = !SAFE_METHODS.has(req.method ?? '');
    if (mayWrite) writers?.onForwarded(authorization, service, 'begun');
    const context = contextFor(req, res, log, origins);
    const { id: requestId, origin } = context;
    const operation = `${req.method} /${service}`;
    const kind = classOfRequest(service, req.method ?? '', path);
    const call = withSpan(origin.span, () => callSpan(req.method ?? '', service));
    const headers = responseHeaders(req.headers.origin, settings);
    headers['X-Request-Id'] = requestId;
    const connection = /\bclose\b/i.test(req.headers.connection ?? '') ? 'close' : 'keep-alive';
    const request = new ForwardedRequest(
      { req, res, path, service, app: this.app, context, headers, connection, url: req.url ?? '' },
      connections,
    );
    res.once('close', () => {
      if (mayWrite) writers?.onForwarded(authorization, service, 'ended');
      request.clientLeft();
      const outcome = outcomeOf(res);
      endCall(call, outcome.status);
      this.onEnd({ door: 'rest', operation, kind, origin, startedAt, ...outcome });
    });
    removeHopByHop(req.headers);
    req.headers[TIME_LIMIT_HEADER] = this.timeLimit;
    setForwardingHeaders(req, { origins, proof: proofs.get(service), prefix: `/${service}` });
    req.headers['x-request-id'] = requestId;
    req.headers.traceparent = call?.traceparent ?? context.traceparent;
    request.send();
  }
}

const agentFor = (tls: TlsOptions | undefined): { agent?: https.Agent } =>
  tls ? { agent: new https.Agent({ ...tls }) } : {};

/** Forwards WebSockets. */
const socketsTo = (service: ServiceName, { settings, router, log }: ProxyOptions) =>
  createProxyMiddleware<Request>({
    target: urlOf(service, settings),
    ...agentFor(router.tlsOf(service)),
    logger: {
      info: () => undefined,
      warn: (message: string) => log.warn(message),
      error: (message: string) => log.debug(message),
    },
    on: {
      error: (_error, _req, res) => void res.destroy(),
    },
  });
