import type { RetentionRule } from '#server/retention/retention.ts';
import { DEPLOYMENT } from './deployments/deployment-context.ts';
import type { WizardResources } from './services.ts';
import { fileKey } from './sessions/session-files.ts';

/** How long after its time a session that came to nothing can still be read. */
const KEPT_MILLIS = 30 * 24 * 60 * 60 * 1000; // 30 days

/** Reservations that are over, and sessions that came to nothing, with all that was uploaded into them. */
export const wizardRetention = ({
  storage,
  sagas,
  files,
}: Pick<WizardResources, 'storage' | 'sagas' | 'files'>): readonly RetentionRule[] => [
  {
    what: 'reservations',
    kept: { millis: 0 },
    run: (unit) => storage.reservations(unit).purge(),
  },
  {
    what: 'wizard_sessions',
    kept: { millis: KEPT_MILLIS },
    batchRows: 100, // each may have files
    async run(unit, before) {
      const sessions = storage.sessions(unit);
      const over = await sessions.findOver(before);
      // files first: a crash in between leaves the rows that name them
      for (const session of over)
        for (const file of session.files) await files.delete(fileKey(session.id, file.id));
      const ids = over.map(({ id }) => id);
      await sagas.remove(DEPLOYMENT, ids);
      await sessions.remove(ids);
      return over.length;
    },
  },
];
