import path from 'node:path';
import { DatabaseUnavailableError } from './database/database.ts';
import type { DatabaseServer } from './database/database-server.ts';
import type { AnySubgraph } from './define-subgraph.ts';
import {
  DataFolderInUseError,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-postgres/embedded-postgres.ts';
import { PortInUseError } from './http/listen.ts';
import {
  port,
  readSettings,
  SERVICE_PORTS,
  serverSettings,
  SettingsError,
  type ServerSettings,
} from './settings.ts';
import { startSubgraph, type RunningSubgraph } from './start-subgraph.ts';

export type Environment = Record<string, string | undefined>;

/** Says one step of a start to the person who waits. */
export type Progress = (line: string) => void;

/** Reads the settings of a subgraph: the platform's, its own, and its port. @throws SettingsError */
export function settingsOf(
  subgraph: AnySubgraph,
  env: Environment,
): { settings: ServerSettings & Record<string, unknown>; port: number } {
  const portField = `${subgraph.name}Port`;
  const schema = serverSettings
    .extend(subgraph.settings.shape)
    .extend({ [portField]: port(SERVICE_PORTS[subgraph.name]) });
  const settings = readSettings(schema, withDemoDefault(env)) as ServerSettings & Record<string, unknown>;
  return { settings, port: Number(settings[portField]) };
}

/** Demo data: on where the platform brings its own database, unless said otherwise. */
export const withDemoDefault = (env: Environment): Environment => ({
  ...env,
  DEMO: env.DEMO || (env.DATABASE_URL ? 'off' : 'on'),
});

/** The database server of this start: the configured one, or our own under `<dataDir>/postgres`, which the caller stops. */
export async function openDatabaseServer(
  settings: Pick<ServerSettings, 'databaseUrl' | 'dataDir'>,
  progress: Progress,
): Promise<{ server: DatabaseServer; stop(): Promise<void> }> {
  if (settings.databaseUrl) return { server: { url: settings.databaseUrl }, stop: async () => undefined };
  const embedded: EmbeddedPostgres = await startEmbeddedPostgres({
    dataDir: path.join(settings.dataDir, 'postgres'),
    onProgress: progress,
  });
  return embedded;
}

/** Starts one subgraph by itself, as its `main.ts` does, until a signal ends it. */
export async function runAlone(subgraph: AnySubgraph, env: Environment): Promise<void> {
  await runUntilSignal(async (progress) => {
    const { settings, port: chosenPort } = settingsOf(subgraph, env);
    const database =
      subgraph.database && !subgraph.withoutDatabase?.(settings)
        ? await openDatabaseServer(settings, progress)
        : undefined;
    let running: RunningSubgraph;
    try {
      running = await startSubgraph(subgraph, {
        settings,
        port: chosenPort,
        databaseServer: database?.server,
      });
    } catch (error) {
      await database?.stop();
      throw error;
    }
    progress(`${subgraph.title} is ready: ${running.url} (REST pages at ${running.url}/docs)`);
    return async () => {
      await running.stop();
      await database?.stop();
    };
  });
}

/**
 * Runs what `start` starts until SIGINT or SIGTERM, then stops it; a second signal ends at once.
 * A start that fails says in one paragraph what to do, and the process ends with 1.
 */
export async function runUntilSignal(
  start: (progress: Progress) => Promise<() => Promise<void>>,
): Promise<void> {
  const progress: Progress = (line) => void process.stdout.write(`${line}\n`);
  let stop: (() => Promise<void>) | undefined;
  let signalled = false;
  const end = async () => {
    progress('Stopping ...');
    await stop?.();
    progress('Stopped.');
    process.exit(0);
  };
  const onSignal = () => {
    if (signalled) process.exit(130);
    signalled = true;
    if (stop) void end().catch(fail);
    else progress('Stopping as soon as the start is through; once more to end at once ...');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    stop = await start(progress);
  } catch (error) {
    fail(error);
  }
  if (signalled) await end();
}

function fail(error: unknown): never {
  process.stderr.write(`\n${explanationOf(error)}\n`);
  process.exit(1);
}

const explanationOf = (error: unknown): string => {
  if (
    error instanceof SettingsError ||
    error instanceof PortInUseError ||
    error instanceof DataFolderInUseError ||
    error instanceof DatabaseUnavailableError ||
    error instanceof StartError
  )
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** A start failed for a reason that the person can mend; the message says how. */
export class StartError extends Error {}
