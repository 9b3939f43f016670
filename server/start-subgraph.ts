import type { AnySubgraph } from './define-subgraph.ts';
import { ClientConnections } from './http/client-connections.ts';
import { createApp } from './http/create-app.ts';
import { forwardingProofsAt } from './http/forwarding-proof.ts';
import { httpServerFor, listen } from './http/listen.ts';
import { RequestOrigins } from './http/request-origin.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { openTracing } from './observability/tracing.ts';
import { openMetricsPort } from './observability/metrics-endpoint.ts';
import { openRateLimitStores } from './rest/rate-limit-store.ts';
import { openChangeNotices } from './start/changes.ts';
import { openServiceDatabase } from './start/database.ts';
import { openRest, type DoorHost } from './start/doors.ts';
import { openGraph } from './start/graph.ts';
import { startJobsOf } from './start/jobs.ts';
import { startParts, type OpenParts, type RunningServer } from './start/open-parts.ts';
import type { StartOptions } from './start/options.ts';
import { mountPages } from './start/pages.ts';
import { openRules } from './start/rules.ts';
import { openSockets } from './start/sockets.ts';
import { openTokenVerifier } from './start/tokens.ts';

/** A subgraph that has started. */
export interface RunningSubgraph extends RunningServer {
  readonly name: string;
}

/** Starts a declared subgraph: runs its migrations, creates demo data, opens its doors. */
export async function startSubgraph(subgraph: AnySubgraph, options: StartOptions): Promise<RunningSubgraph> {
  const log = options.log ?? createLogger(subgraph.name, options.settings.logLevel);
  const running = await startParts(log, options.settings, (parts) =>
    openParts(subgraph, options, log, parts),
  );
  return { name: subgraph.name, ...running };
}

/** Opens the parts of a service one after the other; returns the port at which it listens. */
async function openParts(
  subgraph: AnySubgraph,
  options: StartOptions,
  log: Logger,
  parts: OpenParts,
): Promise<number> {
  const { settings } = options;
  const { name } = subgraph;
  const metrics = createMetrics(name);
  const tracing = parts.add('spans', await openTracing(name, settings, log));
  parts.add('metrics', { stop: await openMetricsPort(metrics, settings) });
  const database = parts.add('database', await openServiceDatabase(subgraph, options, { log, metrics }));
  const rateLimits = await openRateLimitStores(name, settings, log);
  parts.add('rate limits', { stop: () => rateLimits.close() });
  const rules = parts.add(
    'resources',
    await openRules(subgraph, options, { database, log, metrics, tracing }),
  );
  if (rules.events)
    parts.add('waiting readers of events', { stop: () => undefined, drain: () => rules.events?.drain() });
  await rules.addDemoData();
  const changes = await openChangeNotices(subgraph, settings, { database, log });
  parts.add('change notices', { stop: () => changes?.stop() });
  const { verifier } = parts.add('sessions', await openTokenVerifier(subgraph, rules));

  const origins = new RequestOrigins(
    settings.trustedProxies,
    await forwardingProofsAt(name, settings),
    tracing,
  );
  const host: DoorHost = { subgraph, options, rules, verifier, rateLimits, origins, tracing };
  const app = createApp(settings, { service: name, origins, log, metrics });
  mountPages(app, host, { database, changes, isStopping: () => parts.isStopping });
  const graph = parts.add('graph', await openGraph(app, host));
  const listener = openRest(app, host, graph.listener);

  parts.add('jobs', startJobsOf(subgraph, rules, { database, metrics }));
  const server = httpServerFor(listener, settings, origins);
  parts.addDoors(new ClientConnections(server), settings, openSockets(server, host, graph));
  const port = await listen(server, options.port, settings.host, `${name.toUpperCase()}_PORT`);
  return port;
}
