import { gatewaySettingsOf } from './gateway/settings.ts';
import { startGateway } from './gateway/start-gateway.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { freePort } from '#server/http/listen.ts';
import { openDatabaseServer, settingsOf, type Environment, type Progress } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { subgraphs } from './subgraphs/index.ts';

/** Starts database, six services and gateway in this process; what has started is stopped again where one cannot. Returns what stops them. */
export async function startPlatform(env: Environment, progress: Progress): Promise<() => Promise<void>> {
  const startedAt = performance.now();
  // A person watches this start: requests are logged where she asks for them.
  const environment = await withOwnUrls({ ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' });
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).toReversed()) await stopOne();
  };
  try {
    const gatewaySettings = gatewaySettingsOf(environment);
    const services = subgraphs.map((subgraph) => ({ subgraph, ...settingsOf(subgraph, environment) }));
    progress(
      gatewaySettings.databaseUrl ? 'Database: the configured server' : 'Database: our own PostgreSQL',
    );
    const database = await openDatabaseServer(gatewaySettings, (step) => progress(`  ${step}`));
    stops.push(() => database.stop());
    const running = await settled(
      services.map(({ subgraph, settings, port }) =>
        startSubgraph(subgraph, { settings, port, databaseServer: database.server }),
      ),
    );
    for (const service of running.started) {
      stops.push(() => service.stop());
      progress(`  ${service.name.padEnd(10)} ${service.url}`);
    }
    if (running.failed.length > 0) throw running.failed[0];
    const gateway = await startGateway(gatewaySettings);
    stops.push(() => gateway.stop());
    progress(`  ${'gateway'.padEnd(10)} ${gateway.url}`);
    progress(readyText(gateway.url, gatewaySettings.demo, (performance.now() - startedAt) / 1000));
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * In one process the services find each other where their ports say, unless a URL says otherwise.
 * A port of 0 is chosen here already, because the others must know it before it listens.
 */
async function withOwnUrls(env: Environment): Promise<Environment> {
  const complete = { ...env };
  for (const { name } of subgraphs) {
    const portVariable = `${name.toUpperCase()}_PORT`;
    const urlVariable = `${name.toUpperCase()}_URL`;
    if (complete[portVariable] === '0') complete[portVariable] = String(await freePort());
    if (complete[portVariable]) complete[urlVariable] ||= `http://127.0.0.1:${complete[portVariable]}`;
  }
  return complete;
}

async function settled<Value>(promises: Promise<Value>[]): Promise<{ started: Value[]; failed: unknown[] }> {
  const results = await Promise.allSettled(promises);
  return {
    started: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failed: results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])),
  };
}

const readyText = (url: string, demo: boolean, seconds: number): string => `
Ready after ${seconds.toFixed(1)} s. Open ${url} in a browser; Ctrl-C stops everything.
${demo ? `Demo accounts, password ${DEMO_PASSWORD}:\n${DEMO_PEOPLE.map(({ email, role }) => `  ${email.padEnd(18)} ${role}`).join('\n')}\n` : ''}`;
