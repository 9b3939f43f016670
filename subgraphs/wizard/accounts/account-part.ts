import {
  Outcome,
  type AccountPart,
  type RecordSource,
  type ErasureResult,
} from '#server/accounts/account-part.ts';
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

interface WizardAccountOptions {
  storage: WizardStorage;
  sagas: Sagas;
  files: FileStorage;
}

/**
 * What the wizard service stores about a user: the sessions that they created or claimed, with their data, files and
 * reservations.
 */
export const wizardAccountPart = (unit: UnitOfWork, options: WizardAccountOptions): AccountPart => ({
  records: { sessions: sessionsOf(options.storage.sessions(unit)) },
  // In memory, no data outlives the process, so the account need not be recorded as erased.
  erase: (userId) =>
    options.storage.isInMemory ? eraseSessions(unit, options, userId) : eraseStored(unit, options, userId),
});

function eraseStored(
  unit: UnitOfWork,
  options: WizardAccountOptions,
  userId: string,
): Promise<ErasureResult> {
  // The keys of the files that `eraseFilesOf` has removed.
  const removed = new Set<string>();
  return eraseOnce(
    unit,
    userId,
    async () => {
      await forgetAsDeployer(unit, userId);
      return eraseSessions(unit, options, userId, removed);
    },
    async () => {
      await eraseFilesOf(unit, options, userId, removed);
      unit.em.clear(); // the transaction reads the sessions again
    },
  );
}

/**
 * Removes the files of the user's sessions, except pictures that belong to a gym. It runs before the transaction, so that no
 * transaction waits for the file storage.
 * @param removed gets the keys of the removed files
 * @throws CONFLICT while a session of the user is being deployed
 */
async function eraseFilesOf(
  unit: UnitOfWork,
  options: WizardAccountOptions,
  userId: string,
  removed: Set<string>,
): Promise<void> {
  for await (const page of pagesOf(options.storage.sessions(unit), userId)) {
    if (page.some(({ status }) => status === 'DEPLOYING')) throw beingDeployed();
    for (const session of page)
      await removeFiles(options, session, isRecordOfGym(session) ? anonymised(session).files : [], removed);
  }
}

/** All sessions of a user, newest first, in pages. */
async function* pagesOf(store: SessionStore, userId: string): AsyncGenerator<SessionRecord[]> {
  const limit = 200;
  for (let before: string | undefined; ;) {
    const page = await store.list({ createdBy: userId, before, limit });
    yield page;
    before = page.at(-1)?.id;
    if (page.length < limit) return;
  }
}

/** The sessions of a user for the export, newest first, without the hash of the resume token. */
const sessionsOf =
  (sessions: SessionStore): RecordSource =>
  async (userId, after, limit) => {
    const before = after ? String(after[0]) : undefined;
    const page = await sessions.list({ createdBy: userId, before, limit });
    return page.map(({ resumeTokenHash: _secret, ...record }) => ({ key: [record.id], record }));
  };

/**
 * Erases the sessions of a user. The set-up of a deployed gym is kept as a record, without the user's id. The set-up of a
 * gym whose deployment could not be undone is kept, too, because a SUPER_ADMIN must decide about it. All other sessions are
 * removed.
 * @param removed keys of files that were removed already; only files that were uploaded since then are left
 * @throws CONFLICT while a session of the user is being deployed
 */
async function eraseSessions(
  unit: UnitOfWork,
  options: WizardAccountOptions,
  userId: string,
  removed = new Set<string>(),
): Promise<ErasureResult> {
  const store = options.storage.sessions(unit);
  let kept = 0;
  for await (const page of pagesOf(store, userId)) {
    for (const session of page)
      if (isRecordOfGym(session)) {
        const rest = anonymised(session);
        await removeFiles(options, session, rest.files, removed);
        if (!(await store.replace(rest))) throw beingDeployed();
        kept += 1;
      } else if (session.status === 'DEPLOYING') throw beingDeployed();
    const others = page.filter((session) => !isRecordOfGym(session));
    for (const session of others) {
      await removeFiles(options, session, [], removed);
      await options.storage.reservations(unit).release(session.id);
    }
    const ids = others.map(({ id }) => id);
    await options.sagas.remove(DEPLOYMENT, ids);
    await store.remove(ids);
  }
  kept += await forgetAsFirstAdmin(unit, options, userId);
  const unresolved = options.storage.isInMemory ? 0 : await forgetInUnresolved(unit, store, userId);
  return resultOf(kept, unresolved);
}

/**
 * @param kept number of set-ups that are kept without the user
 * @param unresolved number of set-ups whose deployment needs the id of the user until a SUPER_ADMIN has decided about it
 */
function resultOf(kept: number, unresolved: number): ErasureResult {
  const keptSetUps =
    'The set-up of a gym that was deployed, or whose deployment could not be undone, is kept without the ids of its author and its first admin.';
  if (unresolved > 0)
    return {
      outcome: Outcome.RETAINED,
      reason: `A deployment that could not be undone keeps the id of the account, without name or email, until a SUPER_ADMIN has decided about it: it may still have to withdraw the invitation of the account.${kept > 0 ? ` ${keptSetUps}` : ''}`,
    };
  if (kept > 0) return { outcome: Outcome.ANONYMISED, reason: keptSetUps };
  return { outcome: Outcome.DELETED, reason: null };
}

const isRecordOfGym = (session: SessionRecord): boolean =>
  session.kind === 'GYM_SETUP' && (session.status === 'DEPLOYED' || isUnresolved(session));

function anonymised(session: SessionRecord): SessionRecord {
  return {
    ...withoutAdmin(session),
    createdBy: null,
    resumeTokenHash: null,
    // The pictures belong to the gym, the documents to the user.
    files: session.files.filter(
      ({ step, contentType }) => step === 'branding' && contentType === 'image/webp',
    ),
  };
}

async function removeFiles(
  { files }: WizardAccountOptions,
  session: SessionRecord,
  kept: readonly SessionFile[],
  removed: Set<string>,
): Promise<void> {
  for (const file of session.files) {
    const key = fileKey(session.id, file.id);
    if (kept.includes(file) || removed.has(key)) continue;
    await files.delete(key);
    removed.add(key);
  }
}

const beingDeployed = () =>
  conflict('A wizard session of this user is being deployed; try again when the deployment has ended.');
