import { Outcome, type AccountPart, type RecordSource, type Verdict } from '#server/accounts/account-part.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import { conflict } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DEPLOYMENT } from '../deployments/deployment-context.ts';
import { fileKey, type SessionFile } from '../sessions/session-files.ts';
import { isUnresolved, type SessionRecord, type SessionStore } from '../sessions/session-store.ts';
import type { WizardStorage } from '../storage.ts';
import { forgetAsDeployer, forgetAsFirstAdmin, forgetInUnresolved, withoutAdmin } from './forget-named.ts';

export interface WizardAccountOptions {
  storage: WizardStorage;
  sagas: Sagas;
  files: FileStorage;
}

/** What the wizard service keeps of a person: the sessions that they began or claimed, with all that they filled in, uploaded and hold. */
export const wizardAccountPart = (unit: UnitOfWork, options: WizardAccountOptions): AccountPart => ({
  records: { sessions: sessionsOf(options.storage.sessions(unit)) },
  // In memory nothing outlives the process, so nothing has to be remembered about an account that was deleted.
  erase: (userId) =>
    options.storage.isInMemory
      ? eraseSessions(unit, options, userId)
      : eraseOnce(unit, userId, async () => {
          await forgetAsDeployer(unit, userId);
          return eraseSessions(unit, options, userId);
        }),
});

/** Newest first, as in lists. */
const sessionsOf =
  (sessions: SessionStore): RecordSource =>
  async (userId, after, limit) => {
    const before = after ? String(after[0]) : undefined;
    const page = await sessions.list({ createdBy: userId, before, limit });
    return page.map(({ resumeTokenHash: _secret, ...record }) => ({ key: [record.id], record }));
  };

/**
 * A gym that stands keeps the record of how it was set up, without who did it. So does one that could not be taken back,
 * since somebody has to decide about what is left. Everything else is removed.
 */
async function eraseSessions(
  unit: UnitOfWork,
  options: WizardAccountOptions,
  userId: string,
): Promise<Verdict> {
  const PAGE = 200;
  const store = options.storage.sessions(unit);
  let kept = 0;
  for (let before: string | undefined; ;) {
    const page = await store.list({ createdBy: userId, before, limit: PAGE });
    for (const session of page)
      if (isOfAGym(session)) {
        const rest = anonymised(session);
        await removeFiles(options, session, rest.files);
        if (!(await store.replace(rest))) throw underWay();
        kept += 1;
      } else if (session.status === 'DEPLOYING') throw underWay();
    const gone = page.filter((session) => !isOfAGym(session));
    for (const session of gone) {
      await removeFiles(options, session, []);
      await options.storage.reservations(unit).release(session.id);
    }
    const ids = gone.map(({ id }) => id);
    await options.sagas.remove(DEPLOYMENT, ids);
    await store.remove(ids);
    before = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  kept += await forgetAsFirstAdmin(store, options.sagas, userId);
  if (!options.storage.isInMemory) kept += await forgetInUnresolved(unit, store, userId);
  if (kept === 0) return { outcome: Outcome.DELETED, reason: null };
  return {
    outcome: Outcome.ANONYMISED,
    reason:
      'The set-up of a gym that was deployed, or could not be taken back, is kept, without who did it and whom it names.',
  };
}

const isOfAGym = (session: SessionRecord): boolean =>
  session.kind === 'GYM_SETUP' && (session.status === 'DEPLOYED' || isUnresolved(session));

function anonymised(session: SessionRecord): SessionRecord {
  return {
    ...withoutAdmin(session),
    createdBy: null,
    resumeTokenHash: null,
    // its pictures are the gym's, its papers were the user's
    files: session.files.filter(
      ({ step, contentType }) => step === 'branding' && contentType === 'image/webp',
    ),
  };
}

async function removeFiles(
  { files }: WizardAccountOptions,
  session: SessionRecord,
  kept: readonly SessionFile[],
): Promise<void> {
  for (const file of session.files)
    if (!kept.includes(file)) await files.delete(fileKey(session.id, file.id));
}

const underWay = () =>
  conflict('A wizard session of this user is being deployed; ask again when that has ended.');
