import { serviceTokens } from '#server/auth/service-tokens.ts';
import { createApp } from '#server/http/create-app.ts';
import { ClientConnections } from '#server/http/client-connections.ts';
import { httpServerFor, listen } from '#server/http/listen.ts';
import { RequestOrigins } from '#server/http/request-origin.ts';
import { createSockets } from '#server/http/sockets.ts';
import { mountHealth } from '#server/observability/health.ts';
import { createLogger, type Logger } from '#server/observability/logger.ts';
import { createMetrics, type Metrics } from '#server/observability/metrics.ts';
import { openTracing } from '#server/observability/tracing.ts';
import { measureDataDir, measureLosses } from '#server/observability/server-metrics.ts';
import { mountMetrics, openMetricsPort } from '#server/observability/metrics-endpoint.ts';
import { unknownPath } from '#server/rest/mount-routes.ts';
import { problemHandler } from '#server/rest/problem.ts';
import { openRateLimitStores } from '#server/rest/rate-limit-store.ts';
import { startParts, type OpenParts, type RunningServer } from '#server/start/open-parts.ts';
import { openIdentityVerifier } from '#server/start/tokens.ts';
import { openSharedCache } from './cache/open-shared-cache.ts';
import { mountDocuments } from './api-documents/mount-documents.ts';
import { openGraphEndpoint } from './http/graph-endpoint.ts';
import { mountExplorer } from './pages/explorer/explorer.ts';
import { mountStartPage } from './pages/start-page.ts';
import { RestProxies } from './rest/proxy.ts';
import { Router } from './router-file/router.ts';
import type { GatewaySettings } from './settings.ts';
import { PlatformHeaders } from './subgraphs/platform-headers.ts';
import { openSupergraph } from './supergraph/open-supergraph.ts';
import { serveGraphOverSockets } from './websocket/websocket-server.ts';
import { openSharedTexts } from './operations/open-shared-texts.ts';
import { UsageReport } from './usage/usage-report.ts';
import { CostBudgets } from './limits/cost-budgets.ts';
import { openWrites } from './writes/open-writes.ts';

export type RunningGateway = RunningServer;

/** Starts the gateway. The subgraphs may start later. */
export const startGateway = (
  settings: GatewaySettings,
  log: Logger = createLogger('gateway', settings.logLevel),
): Promise<RunningGateway> => startParts(log, settings, (parts) => openParts(settings, log, parts));

const openUsage = ({ usageReport }: GatewaySettings, metrics: Metrics, log: Logger) =>
  usageReport === undefined ? undefined : UsageReport.open(usageReport, metrics, log);

const MAX_SUBSCRIBE_BYTES = 256 * 1024; // 256 KiB

/** Opens the parts of the gateway one after the other; returns the port at which it listens. */
async function openParts(settings: GatewaySettings, log: Logger, parts: OpenParts): Promise<number> {
  const router = await Router.read(settings.routerFile);
  const metrics = createMetrics('gateway');
  const tracing = parts.add('spans', await openTracing('gateway', settings, log));
  parts.add('metrics', { stop: await openMetricsPort(metrics, settings) });
  const rateLimitStores = await openRateLimitStores('gateway', settings, log);
  parts.add('rate limits', { stop: () => rateLimitStores.close() });
  const writes = await openWrites(settings, log);
  parts.add('writes', { stop: () => writes.close() });
  const sharedCache = await openSharedCache(settings, writes, { metrics, log });
  parts.add('shared cache', { stop: () => sharedCache?.close() });
  const sharedTexts = await openSharedTexts(settings, log);
  parts.add('persisted operations', { stop: () => sharedTexts?.close() });
  const tokens = serviceTokens('gateway', settings);
  const { verifier } = parts.add('sessions', await openIdentityVerifier(settings, tokens, log));
  const supergraph = parts.add('supergraph', await openSupergraph(settings, log, tokens));
  const platformHeaders = await PlatformHeaders.read(settings);

  const usage = await openUsage(settings, metrics, log);
  parts.add('usage report', { stop: () => usage?.close() });

  const budgets = await CostBudgets.open(router.rules.cost, settings, { metrics, log });
  parts.add('costs', { stop: () => budgets.close() });

  const origins = new RequestOrigins(settings.trustedProxies, undefined, tracing);
  const app = createApp(settings, { service: 'gateway', origins, log, metrics });
  const losses = () => ({ ...rateLimitStores.losses(), ...writes.losses(), ...sharedCache?.losses() });
  measureLosses(metrics, losses);
  measureDataDir(settings);
  mountHealth(app, { checks: {}, isStopping: () => parts.isStopping, losses });
  mountMetrics(app, metrics, settings);
  mountStartPage(app, settings, supergraph);
  mountExplorer(app, settings);
  const host = {
    settings,
    router,
    origins,
    verifier,
    tokens,
    platformHeaders,
    metrics,
    tracing,
    usage,
    budgets,
    log,
  };
  const graph = parts.add(
    'graph',
    await openGraphEndpoint(app, { ...host, supergraph, rateLimitStores, writes, sharedTexts, sharedCache }),
  );
  mountDocuments(app, settings, { log, origins, apiSchema: () => graph.apiSchema() });
  const proxies = new RestProxies(app, {
    settings,
    router,
    origins,
    proofs: platformHeaders.proofs,
    writers: sharedCache?.cache.writers,
    metrics,
    log,
  });
  parts.add('proxies', { stop: () => proxies.close() });
  app.use(unknownPath);
  app.use(problemHandler);

  const server = httpServerFor(proxies.listener(graph.listener), settings, origins);
  const connections = new ClientConnections(server);
  const sockets = createSockets(server, { settings, metrics, origins, onUnknownPath: proxies.upgrade });
  const endpoint = sockets.endpoint('/graphql', ['graphql-transport-ws'], MAX_SUBSCRIBE_BYTES);
  const subscriptions = serveGraphOverSockets(endpoint, { ...host, graph: graph.socketGraph });
  parts.addDoors(connections, settings, {
    async stop() {
      await Promise.all([sockets.close(), proxies.closeSockets(), graph.closeStreams()]);
      await subscriptions.stop();
    },
  });
  return listen(server, settings.gatewayPort, settings.host, 'GATEWAY_PORT');
}
