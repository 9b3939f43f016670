import { serviceSecretOf } from './auth/service-secret.ts';
import type { AnySubgraph } from './define-subgraph.ts';
import { createApp } from './http/create-app.ts';
import { forwardingProofOf } from './http/forwarding-proof.ts';
import { close, httpServerFor, listen } from './http/listen.ts';
import { RequestOrigins } from './http/request-origin.ts';
import { createLogger, type Logger } from './observability/logger.ts';
import { createMetrics } from './observability/metrics.ts';
import { openMetricsPort } from './observability/metrics-endpoint.ts';
import { idempotencyRetention } from './rest/idempotency.database.ts';
import { openRateLimitStores } from './rest/rate-limit-store.ts';
import { startRetention } from './retention/retention.ts';
import { openServiceDatabase } from './start/database.ts';
import { mountRest, type DoorHost } from './start/doors.ts';
import { openGraph } from './start/graph.ts';
import type { StartOptions } from './start/options.ts';
import { mountPages } from './start/pages.ts';
import { openRules } from './start/rules.ts';
import { openSockets } from './start/sockets.ts';
import { openTokenChecks } from './start/tokens.ts';
import { stopInOrder, type StopStep } from './stop-in-order.ts';

/** A subgraph that has started. */
export interface RunningSubgraph {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /**
   * Finishes running requests, then closes sockets, resources and database. It always ends: what does not close in time is
   * left for the end of the process.
   */
  stop(): Promise<void>;
}

/**
 * Starts a declared subgraph: runs its migrations, creates demo data, opens its doors. If a part cannot be opened, those
 * that are open are closed again.
 */
export async function startSubgraph(subgraph: AnySubgraph, options: StartOptions): Promise<RunningSubgraph> {
  const log = options.log ?? createLogger(subgraph.name, options.settings.logLevel);
  const parts = new OpenParts(log);
  try {
    const port = await openParts(subgraph, options, log, parts);
    log.info({ port }, 'ready');
    return {
      name: subgraph.name,
      port,
      url: `http://127.0.0.1:${port}`,
      async stop() {
        if (parts.isStopping) return;
        await parts.stop();
        log.info('stopped');
      },
    };
  } catch (error) {
    await parts.stop();
    throw error;
  }
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
  parts.add('metrics', { stop: await openMetricsPort(metrics, settings) });
  const database = parts.add('database', await openServiceDatabase(subgraph, options, log));
  const rateLimits = await openRateLimitStores(name, settings, log);
  parts.add('rate limits', { stop: () => rateLimits.close() });
  const rules = parts.add('resources', await openRules(subgraph, options, { database, log, metrics }));
  await rules.addDemoData();
  const { verifier } = parts.add('sessions', openTokenChecks(subgraph, rules));

  const origins = new RequestOrigins(
    settings.trustedProxies,
    forwardingProofOf(await serviceSecretOf(settings)),
  );
  const host: DoorHost = { subgraph, options, rules, verifier, rateLimits, origins };
  const app = createApp(settings, { origins, log, metrics });
  mountPages(app, host, { database, isStopping: () => parts.isStopping });
  const graph = parts.add('graph', await openGraph(app, host));
  mountRest(app, host);

  const server = httpServerFor(app, settings, origins);
  const graceMillis = settings.stopGracePeriodMillis;
  parts.add('requests', { stop: () => close(server, graceMillis) }, graceMillis + 1_000);
  parts.add('sockets', openSockets(server, host, graph));
  const port = await listen(server, options.port, settings.host, `${name.toUpperCase()}_PORT`);
  parts.add(
    'retention',
    startRetention({
      rules: [...(database ? [idempotencyRetention] : []), ...(subgraph.retention?.(rules.resources) ?? [])],
      settings,
      unitOf: () => rules.unitOf(),
      hasDatabase: database !== undefined,
      metrics,
      log,
    }),
  );
  return port;
}

/** What is open, in the order in which it was opened; it is stopped in the reverse order. */
class OpenParts {
  isStopping = false;
  private readonly steps: StopStep[] = [];
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** @param withinMillis time limit of its stop; default: that of `stopInOrder` */
  add<Part extends { stop(): unknown } | undefined>(name: string, part: Part, withinMillis?: number): Part {
    if (part) this.steps.unshift({ name, run: () => part.stop(), withinMillis });
    return part;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await stopInOrder(this.steps, this.log);
  }
}
