import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '#server/database/database.ts';
import { lockDataFolder } from '#server/embedded-postgres/data-folder-lock.ts';
import { createLogger } from '#server/observability/logger.ts';
import { openDatabaseServer } from '#server/run.ts';
import { readSettings, serverSettings, withDemoDefaults, type Environment } from '#server/settings.ts';
import { StartError } from '#server/start-error.ts';
import { database } from '../database.ts';
import { FileJournals } from '../storage/journal.file.ts';
import { moveJournals, type JournalPlace } from './move-journals.ts';
import { databasePlace, filePlace, redisPlace } from './places.ts';

const USAGE = `npm start -- squad-move FROM TO
  FROM  files, database, or redis (the journals of a version before PostgreSQL)
  TO    database or files
The squad service must not run. The source stays as it is. Answers to requests with an Idempotency-Key are not moved.`;

/** The files identify a request by a digest of caller and key together, and the database by the caller and a digest of the key. */
const NOT_MOVED =
  'Answers to requests with an Idempotency-Key are not moved: if a client repeats such a request of the last 24 hours, it is carried out again.';

/**
 * Moves squad's journals between storages: files in DATA_DIR, the database of DATABASE_URL (if unset, the embedded database),
 * and, only as source, the Redis of REDIS_URL. Resolves to the exit code: 1 if the target has other records of some journals.
 * @throws StartError for wrong arguments or settings
 */
export async function runMove(
  [from, to, ...rest]: readonly string[],
  env: Environment,
  progress: (line: string) => void,
): Promise<number> {
  const isKnown =
    ['files', 'database', 'redis'].includes(from ?? '') && ['files', 'database'].includes(to ?? '');
  if (!isKnown || from === to || rest.length > 0) throw new StartError(USAGE);
  const settings = readSettings(serverSettings, withDemoDefaults(env));
  const log = createLogger('squad', settings.logLevel);
  const closing: (() => Promise<void> | void)[] = [];
  const open = async (storage: string | undefined): Promise<JournalPlace> => {
    if (storage === 'files') {
      const folder = path.resolve(settings.dataDir, 'squad');
      await mkdir(folder, { recursive: true });
      const lock = lockDataFolder(folder, '');
      closing.push(() => lock.release());
      return filePlace(new FileJournals({ folder, log }));
    }
    if (storage === 'redis') {
      const { redisUrl } = settings;
      if (!redisUrl) throw new StartError('REDIS_URL is not set: it names the Redis with the journals.');
      return redisPlace({ ...settings, redisUrl });
    }
    const server = await openDatabaseServer(settings, progress);
    closing.push(() => server.stop());
    const orm = await openDatabase(database, { server: server.server });
    closing.push(() => orm.close(true));
    return databasePlace(orm);
  };
  try {
    const source = await open(from);
    closing.push(() => source.close());
    const target = await open(to);
    closing.push(() => target.close());
    progress(`Journals of squad are moved from ${source.name} to ${target.name}:`);
    const { moved, present, different } = await moveJournals(source, target, progress);
    progress(`${moved} journals were moved, ${present} had been moved before.`);
    if (different.length > 0)
      progress(
        `${different.length} journals exist in ${target.name} with other records, and were not changed: ${different.slice(0, 20).join(', ')}`,
      );
    progress(NOT_MOVED);
    return different.length === 0 ? 0 : 1;
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
