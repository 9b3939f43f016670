import type { FileStorage } from '#server/files/file-storage.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DEPLOYMENT } from './deployments/deployment-context.ts';
import { fileKey } from './sessions/session-files.ts';
import type { WizardStorage } from './storage.ts';

/** How long after its time a session that came to nothing can still be read. */
const KEPT_MILLIS = 30 * 24 * 60 * 60 * 1000; // 30 days

/** Removes reservations that are over, and sessions that came to nothing, with all that was uploaded into them. */
export async function purge(
  unit: UnitOfWork,
  { storage, sagas, files }: { storage: WizardStorage; sagas: Sagas; files: FileStorage },
): Promise<void> {
  await storage.reservations(unit).purge();
  const sessions = storage.sessions(unit);
  const over = await sessions.findOver(new Date(Date.now() - KEPT_MILLIS));
  if (over.length === 0) return;
  // files first: a crash in between leaves the rows that name them
  for (const session of over)
    for (const file of session.files) await files.delete(fileKey(session.id, file.id));
  const ids = over.map(({ id }) => id);
  await sagas.remove(DEPLOYMENT, ids);
  await sessions.remove(ids);
}
