import type { FileStorage } from '#server/files/file-storage.ts';
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

/** Sessions that one call removes at most. Each has up to 20 files. */
export const SESSIONS_A_BATCH = 100;

/**
 * Removes sessions that came to nothing and whose time was over before then, with their deployments and all that was
 * uploaded into them; returns how many.
 */
export const removeAbandonedSessions =
  (parts: SessionRetention) =>
  async (unit: UnitOfWork, before: Date): Promise<number> =>
    remove(parts, unit, await parts.storage.sessions(unit).findOver(before, SESSIONS_A_BATCH));

/**
 * Removes sessions of members that were deployed before then. That of a gym is kept as long as the gym: it is the record
 * of how the gym was set up, and its pictures are served from it.
 */
export const removeDeployedOnboardings =
  (parts: SessionRetention) =>
  async (unit: UnitOfWork, before: Date): Promise<number> =>
    remove(parts, unit, await parts.storage.sessions(unit).findDeployedOnboardings(before, SESSIONS_A_BATCH));

/** Files first: a crash in between leaves the rows that name them. */
async function remove(
  { storage, sagas, files }: SessionRetention,
  unit: UnitOfWork,
  sessions: readonly SessionRecord[],
): Promise<number> {
  if (sessions.length === 0) return 0;
  for (const session of sessions)
    for (const file of session.files) await files.delete(fileKey(session.id, file.id));
  const ids = sessions.map(({ id }) => id);
  await sagas.remove(DEPLOYMENT, ids);
  await storage.sessions(unit).remove(ids);
  return sessions.length;
}
