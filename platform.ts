import { gatewaySettingsOf, type GatewaySettings } from './gateway/settings.ts';
import { startGateway, type RunningGateway } from './gateway/start-gateway.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { freePorts } from '#server/http/free-ports.ts';
import { urlAt } from '#server/http/listen.ts';
import { needsOf, openDatabaseServer, settingsOf, stopTimesOf, type StoppableDatabase } from '#server/run.ts';
import type { Progress, Running } from '#server/run-until-signal.ts';
import { missingChoices, reportingAllProblems, SERVICE_PORTS, type Environment } from '#server/settings.ts';
import type { StartOptions } from '#server/start/options.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { subgraphs } from './subgraphs/index.ts';

/**
 * Starts the database, the six services and the gateway in this process. If one of them cannot start, stops the others.
 * @param options for measurements
 */
export async function startPlatform(
  env: Environment,
  progress: Progress,
  { usesFastPath }: Pick<StartOptions, 'usesFastPath'> = {},
): Promise<Running> {
  const startedAt = performance.now();
  // A person reads the output of this start, so requests are logged only if LOG_LEVEL says so.
  // No load balancer chooses between replicas of this process. Therefore it stops without a drain delay.
  const environment = await withOwnUrls({
    ...env,
    LOG_LEVEL: env.LOG_LEVEL || 'warn',
    DRAIN_DELAY_MILLIS: env.DRAIN_DELAY_MILLIS || '0',
  });
  const running: Started = { services: [] };
  try {
    const missing = missingChoices(env, { ...needsOf(subgraphs), isSeparate: false });
    const gatewaySettings = reportingAllProblems(missing, () => gatewaySettingsOf(environment));
    const services = subgraphs.map((subgraph) => ({ subgraph, ...settingsOf(subgraph, environment) }));
    progress(
      gatewaySettings.databaseUrl ? 'Database: the configured server' : 'Database: the embedded PostgreSQL',
    );
    const database = await openDatabaseServer(gatewaySettings, (step) => progress(`  ${step}`));
    running.database = database;
    const start = async ({ subgraph, settings, port }: (typeof services)[number]) => {
      const service = await startSubgraph(subgraph, {
        settings,
        port,
        databaseServer: database.server,
        usesFastPath,
      });
      running.services.push(service);
      progress(`  ${service.name.padEnd(10)} ${service.url}`);
    };
    // Identity starts first: the others read its keys and get their tokens from it.
    const [identity, ...others] = services;
    if (identity) await start(identity);
    const results = await Promise.allSettled(others.map(start));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const gateway = await startGateway(gatewaySettings);
    running.gateway = gateway;
    progress(`  ${'gateway'.padEnd(10)} ${gateway.url}`);
    progress(readyText(gateway.url, gatewaySettings.demo, (performance.now() - startedAt) / 1000));
    return stoppable(running, gatewaySettings);
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

interface Started {
  gateway?: RunningGateway;
  services: RunningSubgraph[];
  database?: StoppableDatabase;
}

async function stopAll({ gateway, services, database }: Started): Promise<void> {
  await gateway?.stop();
  await Promise.all(services.map((service) => service.stop()));
  await database?.stop();
}

function stoppable(started: Started, settings: GatewaySettings): Running {
  const { gateway, services, database } = started;
  const servers = [...(gateway ? [{ ...gateway, name: 'gateway' }] : []), ...services];
  return {
    drain: () => servers.forEach((server) => server.drain()),
    stop: () => stopAll(started),
    unfinished: () => [
      ...servers.flatMap(({ name, unfinished }) => unfinished().map((part) => `${name}: ${part}`)),
      ...(database?.unfinished() ?? []),
    ],
    ...stopTimesOf(settings),
  };
}

/**
 * Sets the URL of each service to its own address and port, unless a URL is set. A port of 0 is replaced by a free one here, because
 * the other services must know it before the service listens.
 */
async function withOwnUrls(env: Environment): Promise<Environment> {
  const withUrls = { ...env };
  const ports = await freePorts(subgraphs.length);
  for (const { name } of subgraphs) {
    const portVariable = `${name.toUpperCase()}_PORT`;
    const urlVariable = `${name.toUpperCase()}_URL`;
    if (withUrls[portVariable] === '0') withUrls[portVariable] = String(ports.pop());
    const port = Number(withUrls[portVariable] || SERVICE_PORTS[name]);
    if (port) withUrls[urlVariable] ||= urlAt(withUrls.HOST || '127.0.0.1', port);
  }
  return withUrls;
}

const readyText = (url: string, demo: boolean, seconds: number): string => `
Ready after ${seconds.toFixed(1)} s. Open ${url} in a browser; Ctrl-C stops everything.
${demo ? `Demo accounts, password ${DEMO_PASSWORD}:\n${DEMO_PEOPLE.map(({ email, role }) => `  ${email.padEnd(18)} ${role}`).join('\n')}\n` : ''}`;
