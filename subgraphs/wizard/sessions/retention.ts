import type { FileStorage } from '#server/files/file-storage.ts';
import { discard } from '#server/files/unused-files.ts';
import { isUuid } from '#server/ids.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DEPLOYMENT } from '../deployments/deployment-context.ts';
import type { WizardStorage } from '../storage.ts';
import { fileKey } from './session-files.ts';
import type { SessionRecord } from './session-store.ts';

export interface SessionRetention {
  storage: WizardStorage;
  sagas: Sagas;
  files: FileStorage;
}

/** The maximum number of sessions that one call removes. Each has up to 20 files. */
export const SESSIONS_PER_BATCH = 100;

/**
 * Removes expired and cancelled sessions whose `expiresAt` is before this time, with their deployments and files. Returns
 * how many were removed.
 */
export const removeAbandonedSessions =
  (parts: SessionRetention) =>
  async (unit: UnitOfWork, before: Date): Promise<number> =>
    remove(parts, unit, await parts.storage.sessions(unit).findExpired(before, SESSIONS_PER_BATCH));

/**
 * Removes onboardings that were deployed before this time. The session of a deployed gym is never removed: it is the record
 * of the gym's set-up, and the gym's pictures are files of this session.
 */
export const removeDeployedOnboardings =
  (parts: SessionRetention) =>
  async (unit: UnitOfWork, before: Date): Promise<number> =>
    remove(
      parts,
      unit,
      await parts.storage.sessions(unit).findDeployedOnboardings(before, SESSIONS_PER_BATCH),
    );

/** Finds out which of these storage keys belong to files of sessions. */
export const usedSessionFiles =
  (storage: WizardStorage) =>
  async (unit: UnitOfWork, keys: readonly string[]): Promise<ReadonlySet<string>> => {
    const ids = new Set(keys.map((key) => key.split('/')[1] ?? '').filter(isUuid));
    const sessions = await storage.sessions(unit).findByIds([...ids]);
    return new Set(sessions.flatMap(({ id, files }) => files.map((file) => fileKey(id, file.id))));
  };

/** Removes sessions, and after the commit their files, so that no transaction waits for the file storage. */
async function remove(
  { storage, sagas, files }: SessionRetention,
  unit: UnitOfWork,
  sessions: readonly SessionRecord[],
): Promise<number> {
  if (sessions.length === 0) return 0;
  const ids = sessions.map(({ id }) => id);
  await sagas.remove(DEPLOYMENT, ids);
  await storage.sessions(unit).remove(ids);
  const keys = sessions.flatMap((session) => session.files.map((file) => fileKey(session.id, file.id)));
  await unit.afterCommit(() => discard(files, keys, unit.log));
  return sessions.length;
}
