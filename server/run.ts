import path from 'node:path';
import { refuseUnfinishedRestore } from './backup/restore-folder.ts';
import { allowPauses } from './backup/write-pause.ts';
import type { DatabaseServer } from './database/database-server.ts';
import type { AnySubgraph } from './define-subgraph.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts';
import { runUntilSignal, type Progress, type Running } from './run-until-signal.ts';
import {
  reportingAllProblems,
  missingChoices,
  port,
  readSettings,
  SERVICE_PORTS,
  serverSettings,
  withDemoDefaults,
  type Environment,
  type ServerSettings,
} from './settings.ts';
import { startSubgraph, type RunningSubgraph } from './start-subgraph.ts';

/** Reads the settings of a subgraph: those of every server, the subgraph's own, and its port. @throws SettingsError */
export function settingsOf(
  subgraph: AnySubgraph,
  env: Environment,
): { settings: ServerSettings & Record<string, unknown>; port: number } {
  const portField = `${subgraph.name}Port`;
  const schema = serverSettings
    .extend(subgraph.settings.shape)
    .extend({ [portField]: port(SERVICE_PORTS[subgraph.name]) });
  const settings = readSettings(schema, withDemoDefaults(env)) as ServerSettings & Record<string, unknown>;
  return { settings, port: Number(settings[portField]) };
}

/** The properties of the subgraphs that decide which settings an operator must choose; see `missingChoices`. */
export const needsOf = (subgraphs: readonly AnySubgraph[]) => ({
  hasDatabase: subgraphs.some(({ database }) => database !== undefined),
  storesFiles: subgraphs.some(({ storesFiles }) => storesFiles === true),
  sendsMails: subgraphs.some(({ settings }) => 'smtpUrl' in settings.shape),
});

/**
 * The database server for this start: the configured one, or an embedded one that is started with its data in
 * `<dataDir>/postgres`, and that the calling code must stop.
 */
export async function openDatabaseServer(
  settings: Pick<ServerSettings, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>,
  progress: Progress,
): Promise<StoppableDatabase> {
  const { databaseUrl, databaseDirectUrl } = settings;
  if (databaseUrl)
    return {
      server: { url: databaseUrl, directUrl: databaseDirectUrl },
      stop: async () => undefined,
      unfinished: () => [],
    };
  refuseUnfinishedRestore(settings.dataDir);
  const embedded: EmbeddedPostgres = await startEmbeddedPostgres({
    dataDir: path.join(settings.dataDir, 'postgres'),
    onProgress: progress,
  });
  // Only the database's user and root can enter this folder, so no other user can pause the writes.
  const pauses = await allowPauses(embedded.socketDir);
  let isStopping = false;
  return {
    server: embedded.server,
    async stop() {
      isStopping = true;
      await pauses.close();
      await embedded.stop();
      isStopping = false;
    },
    unfinished: () => (isStopping ? ['embedded PostgreSQL'] : []),
  };
}

/** A database server that the calling code must stop. */
export interface StoppableDatabase {
  readonly server: DatabaseServer;
  stop(): Promise<void>;
  /** The name of the server while it is being stopped. */
  unfinished(): string[];
}

/** How long the stop of a server with these settings may take. */
export const stopTimesOf = ({
  drainDelayMillis,
  stopGracePeriodMillis,
}: ServerSettings): Pick<Running, 'drainDelayMillis' | 'stopGracePeriodMillis'> => ({
  drainDelayMillis,
  stopGracePeriodMillis,
});

/** Runs one subgraph alone in this process until a signal ends it, for its `main.ts`. */
export async function runAlone(subgraph: AnySubgraph, env: Environment): Promise<void> {
  await runUntilSignal(async (progress) => {
    const missing = missingChoices(env, { ...needsOf([subgraph]), isSeparate: true });
    const { settings, port: chosenPort } = reportingAllProblems(missing, () => settingsOf(subgraph, env));
    refuseUnfinishedRestore(settings.dataDir); // also if no database is opened: the folder contains secrets and journals
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
    return {
      drain: () => running.drain(),
      async stop() {
        await running.stop();
        await database?.stop();
      },
      unfinished: () => [...running.unfinished(), ...(database?.unfinished() ?? [])],
      ...stopTimesOf(settings),
    };
  });
}
