import { randomUUID } from 'node:crypto';
import { forgetAnswersTo } from '#server/accounts/erased-accounts.ts';
import { eraseFromEvents } from '#server/events/erase-events.ts';
import { forgetJobsAbout } from '#server/jobs/add-job.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { forgetPasswordMails } from '../password-resets/forget-password-mails.ts';
import { endAllSessionsOf } from '../sessions/ended-sessions.ts';
import { forgetFailures } from '../sessions/login-guard.ts';
import { AccountDeletion } from './account-deletion.entity.ts';
import { DELETION_SAGA, deletionActions, partsAtFirst, type DeletionContext } from './deletion-saga.ts';

/** Deletes everything that identity stores about a user whose account is locked, in the open transaction. */
export async function eraseOwnPart(
  unit: UnitOfWork,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const { em } = unit;
  await endAllSessionsOf(em, id);
  await forgetPasswordMails(em, { id, email });
  await forgetFailures(em, email);
  await forgetAnswersTo(unit, id);
  await forgetJobsAbout(em, id);
  await em.execute('delete from user_account where id = ?', [id]);
  await eraseFromEvents(unit, id);
}

/**
 * Stores the saga that erases a user in the other services, and the receipt, which is returned. Call it in the transaction that
 * deletes the account.
 * @param fileKeys storage keys of the user's files in identity
 */
export async function startErasure(
  unit: UnitOfWork,
  sagas: Sagas,
  userId: string,
  fileKeys: readonly string[],
): Promise<AccountDeletion> {
  const receipt = unit.em.create(AccountDeletion, {
    id: randomUUID(),
    userId,
    requestedAt: new Date(),
    finishedAt: null,
    parts: partsAtFirst(),
  });
  await unit.em.flush();
  const context: DeletionContext = { userId };
  await sagas.start(
    { kind: DELETION_SAGA, subject: receipt.id, context, actions: deletionActions(fileKeys) },
    unit,
  );
  return receipt;
}
