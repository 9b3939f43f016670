import { EndedSessions } from '#server/auth/ended-sessions.ts';
import { JwksKeys } from '#server/auth/jwks-keys.ts';
import { serviceTokens } from '#server/auth/service-tokens.ts';
import { TokenVerifier } from '#server/auth/token-verifier.ts';
import { createApp } from '#server/http/create-app.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { close, httpServerFor, listen } from '#server/http/listen.ts';
import { createSockets } from '#server/http/sockets.ts';
import { mountHealth } from '#server/observability/health.ts';
import { createLogger, type Logger } from '#server/observability/logger.ts';
import { createMetrics } from '#server/observability/metrics.ts';
import { mountMetrics, openMetricsPort } from '#server/observability/metrics-endpoint.ts';
import { unknownPath } from '#server/rest/mount-routes.ts';
import { problemHandler } from '#server/rest/problem.ts';
import { openRateLimitStores } from '#server/rest/rate-limit-store.ts';
import { stopInOrder } from '#server/stop-in-order.ts';
import { mountDocuments } from './api-documents/mount-documents.ts';
import { mountGraph } from './http/graph-endpoint.ts';
import { mountExplorer } from './pages/explorer/explorer.ts';
import { mountStartPage } from './pages/start-page.ts';
import { mountProxies } from './rest/proxy.ts';
import { serveGraphOverSockets } from './websocket/websocket-server.ts';
import type { GatewaySettings } from './settings.ts';
import { PlatformHeaders } from './subgraphs/platform-headers.ts';
import { openWrites } from './writes/open-writes.ts';
import { openSupergraph } from './supergraph/open-supergraph.ts';

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the gateway. The subgraphs may start later. */
export async function startGateway(
  settings: GatewaySettings,
  log: Logger = createLogger('gateway', settings.logLevel),
): Promise<RunningGateway> {
  // @apollo/gateway sends telemetry by default.
  process.env.APOLLO_TELEMETRY_DISABLED = '1';
  const metrics = createMetrics('gateway');
  const { identityUrl } = settings;
  const tokens = serviceTokens('gateway', settings);
  const platformHeaders = await PlatformHeaders.read(settings);
  const supergraph = await openSupergraph(settings, log, tokens);
  const endedSessions = new EndedSessions({ identityUrl, tokens, log });
  const verifier = new TokenVerifier({
    issuer: settings.jwtIssuer,
    audience: settings.jwtAudience,
    keys: new JwksKeys(`${identityUrl}/.well-known/jwks.json`),
    isRevoked: endedSessions.isRevoked,
  });
  const rateLimitStores = await openRateLimitStores('gateway', settings, log);
  const writes = await openWrites(settings, log);
  let stopping = false;

  const origins = new RequestOrigins(settings.trustedProxies);
  const app = createApp(settings, { origins, log, metrics });
  mountHealth(app, { checks: {}, isStopping: () => stopping, losses: () => rateLimitStores.losses() });
  mountMetrics(app, metrics, settings);
  mountStartPage(app, settings, supergraph);
  mountExplorer(app, settings);
  const graph = await mountGraph(app, {
    settings,
    supergraph,
    verifier,
    origins,
    rateLimitStores,
    writes,
    log,
    metrics,
    tokens,
    platformHeaders,
  });
  mountDocuments(app, settings, { log, apiSchema: () => graph.apiSchema() });
  const proxies = mountProxies(app, { settings, origins, proof: platformHeaders.proof, log });
  app.use(unknownPath);
  app.use(problemHandler);

  const server = httpServerFor(graph.listener, settings, origins);
  const sockets = createSockets(server, { settings, metrics, origins, otherwise: proxies.upgrade });
  const stopGraphSockets = serveGraphOverSockets(
    sockets.endpoint('/graphql', ['graphql-transport-ws'], 256 * 1024),
    { graph: graph.socketGraph, verifier, origins, settings, log },
  );
  const closeMetricsPort = await openMetricsPort(metrics, settings);
  const port = await listen(server, settings.gatewayPort, settings.host, 'GATEWAY_PORT');
  log.info({ port }, 'ready');

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (stopping) return;
      stopping = true;
      await stopInOrder(
        [
          {
            name: 'sockets',
            async run() {
              await stopGraphSockets();
              await sockets.close();
            },
          },
          {
            name: 'requests',
            run: () => close(server, settings.stopGracePeriodMillis),
            withinMillis: settings.stopGracePeriodMillis + 1_000,
          },
          { name: 'sessions', run: () => endedSessions.stop() },
          { name: 'graph', run: () => graph.stop() },
          { name: 'writes', run: () => writes.close() },
          { name: 'proxies', run: () => proxies.close() },
          { name: 'rate limits', run: () => rateLimitStores.close() },
          { name: 'metrics', run: closeMetricsPort },
        ],
        log,
      );
      log.info('stopped');
    },
  };
}
