import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { PlatformError } from '#server/errors.ts';
import { contextOf } from '#server/http/request-context.ts';
import type { Upgrade } from '#server/http/sockets.ts';
import type { Logger } from '#server/observability/logger.ts';
import { sendProblem } from '#server/rest/problem.ts';
import { SERVICE_NAMES, urlOf, type ServiceName } from '#server/settings.ts';
import type { GatewaySettings } from '../settings.ts';
import { removeHopByHop } from './hop-by-hop.ts';

/**
 * Passes `/<service>/...` on to that service, prefix removed, streamed both ways; sockets too.
 * Returns the handler for WebSocket upgrades below the prefixes.
 */
export function mountProxies(
  app: Express,
  settings: GatewaySettings,
  log: Logger,
): { upgrade: Upgrade; close(): void } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: settings.subgraphConnections });
  const proxies = new Map(SERVICE_NAMES.map((service) => [service, proxyTo(service, settings, agent, log)]));
  for (const [service, proxy] of proxies) app.use(`/${service}`, ownConnection, proxy);
  return {
    upgrade(request, socket, head) {
      const [, service, rest] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
      const proxy = proxies.get(service as ServiceName);
      if (!proxy || !rest) return false;
      request.url = rest;
      proxy.upgrade(request as Request, socket as Socket, head);
      return true;
    },
    close: () => agent.destroy(),
  };
}

/** The client's connection and that to the service are two: neither is told about the other's. */
const ownConnection: RequestHandler = (req, res, next) => {
  res.locals.connection = /\bclose\b/i.test(req.headers.connection ?? '') ? 'close' : 'keep-alive';
  removeHopByHop(req.headers);
  next();
};

const proxyTo = (service: ServiceName, settings: GatewaySettings, agent: http.Agent, log: Logger) =>
  createProxyMiddleware<Request, Response>({
    target: urlOf(service, settings),
    agent,
    xfwd: true,
    proxyTimeout: settings.subgraphTimeoutMillis * 6, // pictures, imports and exports take longer than a query
    logger: {
      info: () => undefined,
      warn: (message: string) => log.warn(message),
      error: (message: string) => log.debug(message),
    },
    on: {
      proxyReq(outgoing, _req, res) {
        const { id, traceparent } = contextOf(res);
        outgoing.setHeader('X-Forwarded-Prefix', `/${service}`);
        outgoing.setHeader('X-Request-Id', id);
        outgoing.setHeader('traceparent', traceparent);
      },
      proxyRes(answer, _req, res) {
        removeHopByHop(answer.headers);
        answer.headers.connection = res.locals.connection as string;
      },
      error(error, req, res) {
        if (!isResponse(res)) return void res.destroy();
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
