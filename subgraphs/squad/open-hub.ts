import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { MikroORM } from '@mikro-orm/postgresql';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import type { ServiceBase } from '#server/define-subgraph.ts';
import { lockDataFolder } from '#server/embedded-postgres/data-folder-lock.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import type { ServerSettings } from '#server/settings.ts';
import type { Hub } from './hub.ts';
import { MemoryHub } from './hub.memory.ts';
import { archiveEnded } from './archive-ended.ts';
import { journalKinds } from './journal-kinds.ts';
import type { SquadSettings } from './settings.ts';
import { DatabaseJournals } from './storage/journal.database.ts';
import { FileJournals } from './storage/journal.file.ts';
import { users } from './users/user.journal.ts';

/** The time from its last change after which an ended squad is moved into the archive. */
const ARCHIVED_AFTER_MILLIS = DAY_MILLIS;

/** Opens the storage and the hub that the settings ask for; see docs/decisions/0016-squad-journals-in-postgresql.md. */
export async function openHub({
  settings,
  log,
  orm,
}: Pick<ServiceBase<SquadSettings>, 'settings' | 'log' | 'orm'>): Promise<Hub> {
  if (!orm) return openFiles(settings, log);
  await warnOfFiles(settings, orm, log);
  const graceMillis = settings.squadPresenceGraceMillis;
  const { redisUrl } = settings;
  if (redisUrl) return openShared({ ...settings, redisUrl }, graceMillis, orm, log);
  return new MemoryHub({ graceMillis }, new DatabaseJournals({ orm, log }));
}

/** Warns if there are journals in files, but none in the database: without the warning they would seem to be lost. */
async function warnOfFiles({ dataDir }: ServerSettings, orm: MikroORM, log: Logger): Promise<void> {
  const folder = path.resolve(dataDir, 'squad');
  const names = await readdir(path.join(folder, users.name)).catch(() => []);
  if (names.length === 0) return;
  const rows = await orm.em.fork().execute<unknown[]>('select 1 from journal limit 1');
  if (rows.length === 0)
    log.warn(
      { folder },
      'the journals in this folder are not used, because squad has a database now, which is empty; ' +
        '"npm start -- squad-move files database" moves them',
    );
}

async function openShared(
  settings: RedisSettings & { redisUrl: string },
  graceMillis: number,
  orm: MikroORM,
  log: Logger,
): Promise<Hub> {
  const { RedisHub } = await import('./hub.redis.ts');
  const { RedisConnections } = await import('./storage/redis-connections.ts');
  const { redisJournalChanges } = await import('./storage/journal-changes.redis.ts');
  const redis = await RedisConnections.open(settings, log);
  const journals = new DatabaseJournals({ orm, log, changes: redisJournalChanges(redis) });
  return RedisHub.start({ graceMillis }, journals, redis, log);
}

async function openFiles(settings: ServerSettings & SquadSettings, log: Logger): Promise<Hub> {
  const folder = path.resolve(settings.dataDir, 'squad');
  await mkdir(folder, { recursive: true });
  // Two processes that append to one file would damage it.
  const lock = lockDataFolder(folder, '');
  const journals = new FileJournals({ folder, log });
  const stopping = new AbortController();
  const sweep = async () => {
    await archiveEnded(journals, new Date(Date.now() - ARCHIVED_AFTER_MILLIS), stopping.signal);
    for (const kind of journalKinds) await journals.sweep(kind);
  };
  let running: Promise<void> | undefined;
  const sweepOnce = () => {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'old journals could not be archived or removed'))
      .finally(() => (running = undefined));
  };
  sweepOnce();
  const sweeping = setInterval(sweepOnce, HOUR_MILLIS);
  sweeping.unref();
  const graceMillis = settings.squadPresenceGraceMillis;
  return new MemoryHub({ graceMillis }, journals, async () => {
    clearInterval(sweeping);
    stopping.abort();
    await running;
    lock.release();
  });
}
