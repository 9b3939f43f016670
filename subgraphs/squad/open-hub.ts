import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { lockDataFolder } from '#server/embedded-postgres/data-folder-lock.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { ServerSettings } from '#server/settings.ts';
import { chats } from './chat/chat.journal.ts';
import { reports } from './chat/report.journal.ts';
import type { Hub } from './hub.ts';
import { MemoryHub } from './hub.memory.ts';
import type { SquadSettings } from './settings.ts';
import { squads } from './squads/squad.journal.ts';
import { FileJournals } from './storage/journal.file.ts';

const DAY_MILLIS = 24 * 60 * 60 * 1000;

/** The hub that the settings ask for. */
export async function openHub(settings: ServerSettings & SquadSettings, log: Logger): Promise<Hub> {
  const graceMillis = settings.squadPresenceGraceMillis;
  if (settings.redisUrl) {
    const { RedisHub } = await import('./hub.redis.ts');
    const { RedisConnections } = await import('./storage/redis-connections.ts');
    return RedisHub.start({ graceMillis }, await RedisConnections.open(settings.redisUrl, log), log);
  }
  const folder = path.resolve(settings.dataDir, 'squad');
  await mkdir(folder, { recursive: true });
  // Two processes that append to one file would damage it.
  const lock = lockDataFolder(folder, '');
  const journals = new FileJournals({ folder, log });
  const sweep = async () => {
    for (const kind of [squads, chats, reports]) await journals.sweep(kind);
  };
  const sweeping = setInterval(
    () =>
      void sweep().catch((error: unknown) => log.warn({ err: error }, 'old journals could not be removed')),
    DAY_MILLIS,
  );
  sweeping.unref();
  return new MemoryHub({ graceMillis }, journals, () => {
    clearInterval(sweeping);
    lock.release();
  });
}
