import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { PlatformError } from '#server/errors.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { RequestOrigins } from '#server/http/request-origin.ts';
import { TIME_LIMIT_HEADER } from '#server/http/waiting-client.ts';
import type { Upgrade } from '#server/http/sockets.ts';
import type { Logger } from '#server/observability/logger.ts';
import { unknownPath } from '#server/rest/mount-routes.ts';
import { sendProblem } from '#server/rest/problem.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { setForwardingHeaders } from './forwarding-headers.ts';
import { removeHopByHop } from './hop-by-hop-headers.ts';
import { isPrivatePath } from './private-paths.ts';

interface ProxyOptions {
  settings: GatewaySettings;
  origins: RequestOrigins;
  /** Proves to the services that the gateway has written the forwarding headers. */
  proof: string | undefined;
  log: Logger;
}

/**
 * Forwards `/<service>/...` to that service without the prefix, streamed in both directions; WebSockets, too.
 * Returns the handler for WebSocket upgrades below the prefixes.
 */
export function mountProxies(app: Express, options: ProxyOptions): { upgrade: Upgrade; close(): void } {
  const { settings } = options;
  const agent = new http.Agent({ keepAlive: true, maxSockets: settings.subgraphConnections });
  const proxies = new Map(SERVICE_NAMES.map((service) => [service, proxyTo(service, options, agent)]));
  for (const [service, proxy] of proxies)
    app.use(`/${service}`, withoutPrivatePaths, ownConnection, forwarding(service, options), proxy);
  return {
    upgrade(request, socket, head) {
      const [, service = '', rest] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
      const proxy = proxies.get(service as ServiceName);
      if (!proxy || !rest || isPrivatePath(rest)) return false;
      request.url = rest;
      setForwardingHeaders(request, { ...options, prefix: `/${service}` });
      proxy.upgrade(request as Request, socket as Socket, head);
      return true;
    },
    close: () => agent.destroy(),
  };
}

const withoutPrivatePaths: RequestHandler = (req, res, next) => {
  if (isPrivatePath(req.url)) unknownPath(req, res, next);
  else next();
};

/** Removes the headers that concern only the client's connection to the gateway. */
const ownConnection: RequestHandler = (req, res, next) => {
  res.locals.connection = /\bclose\b/i.test(req.headers.connection ?? '') ? 'close' : 'keep-alive';
  removeHopByHop(req.headers);
  next();
};

const forwarding =
  (service: ServiceName, { origins, proof, settings }: ProxyOptions): RequestHandler =>
  (req, res, next) => {
    req.headers[TIME_LIMIT_HEADER] = String(timeLimitMillis(settings));
    setForwardingHeaders(req, { origins, proof, prefix: `/${service}` });
    const { id, traceparent } = contextOf(res);
    req.headers['x-request-id'] = id;
    req.headers.traceparent = traceparent;
    next();
  };

/** Pictures, imports and exports take longer than a query. */
const timeLimitMillis = (settings: GatewaySettings): number => settings.subgraphTimeoutMillis * 6;

const proxyTo = (service: ServiceName, { settings, log }: ProxyOptions, agent: http.Agent) =>
  createProxyMiddleware<Request, Response>({
    target: urlOf(service, settings),
    agent,
    proxyTimeout: timeLimitMillis(settings),
    logger: {
      info: () => undefined,
      warn: (message: string) => log.warn(message),
      error: (message: string) => log.debug(message),
    },
    on: {
      proxyRes(answer, _req, res) {
        removeHopByHop(answer.headers);
        answer.headers.connection = res.locals.connection as string;
      },
      error(error, req, res) {
        if (!isResponse(res)) return void res.destroy();
        if (res.destroyed) return; // the client has left
        log.warn({ err: error, service }, 'a service does not answer');
        if (res.headersSent) return void res.destroy();
        const late = 'code' in error && error.code === 'ETIMEDOUT';
        sendProblem(
          res,
          new PlatformError(
            late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE',
            `The ${service} service does not answer; try again in a moment.`,
            { retryAfterSeconds: 1 },
          ),
          req.originalUrl,
        );
      },
    },
  });

const isResponse = (target: Response | Socket): target is Response => 'locals' in target;
