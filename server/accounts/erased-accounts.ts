import { isNativeError } from 'node:util/types';
import { conflict, type PlatformError } from '../errors.ts';
import { forgetJobsAbout } from '../jobs/add-job.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { ErasureResult } from './account-part.ts';

/**
 * Erases what a service's database contains about an account, once. A repeated call returns the result of the first.
 *
 * A first transaction stores the erasure record under an exclusive lock. Every statement that writes the id of an account
 * takes the same lock in shared mode (`refuseErasedAccount`). So a writer that got the lock first has committed before the record
 * is stored, and `erase` finds its rows; a later writer is refused. `erase` runs in a second transaction.
 *
 * @param eraseFiles runs between the two transactions, because PostgreSQL ends a transaction that waits 30 s for a slow file
 * storage. After a crash or a failure, the rows still name the files that are left, and the caller calls again.
 */
export async function eraseOnce(
  unit: UnitOfWork,
  userId: string,
  erase: () => Promise<ErasureResult>,
  eraseFiles: () => Promise<void> = async () => undefined,
): Promise<ErasureResult> {
  await unit.transaction(async () => {
    await unit.em.execute(`select pg_advisory_xact_lock(hashtext('erased_account'), account_lock(?))`, [
      userId,
    ]);
    await unit.em.execute(
      'insert into erased_account (user_id, erased_at) values (?, now()) on conflict do nothing',
      [userId],
    );
  });
  await eraseFiles();
  return unit.transaction(async () => {
    const [before] = await unit.em.execute<
      { outcome: ErasureResult['outcome'] | null; reason: string | null }[]
    >('select outcome, reason from erased_account where user_id = ? for update', [userId]);
    if (before?.outcome) return { outcome: before.outcome, reason: before.reason };
    const result = await erase();
    await forgetAnswersTo(unit, userId);
    await forgetJobsAbout(unit.em, userId);
    await unit.em.execute('update erased_account set outcome = ?, reason = ? where user_id = ?', [
      result.outcome,
      result.reason,
      userId,
    ]);
    return result;
  });
}

/** Deletes the stored answers to the account's requests with an `Idempotency-Key`. */
export async function forgetAnswersTo(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('delete from idempotency_record where caller = ?', [`user:${userId}`]);
}

/** Whether this service has erased the account, or is erasing it. */
export async function isErased(unit: UnitOfWork, userId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>('select 1 from erased_account where user_id = ?', [userId]);
  return rows.length > 0;
}

/**
 * SQL for a migration: triggers that refuse rows of `table` whose `column` names an erased account. `events` must
 * include `update` if the column can be updated.
 */
export const refuseErasedAccount = (
  table: string,
  column: string,
  events: readonly ('insert' | 'update')[] = ['insert'],
): string[] =>
  events.map((event) =>
    event === 'insert'
      ? `create trigger "${table}_${column}_not_erased" after insert on "${table}" referencing new table as added for each statement execute function refuse_erased_account('${column}');`
      : `create trigger "${table}_${column}_not_erased_by_update" after update of "${column}" on "${table}" for each row when (new."${column}" is distinct from old."${column}" and new."${column}" is not null) execute function refuse_erased_account_row('${column}');`,
  );

/** SQL for the `down` of a migration with `refuseErasedAccount`: removes its triggers. */
export const acceptErasedAccount = (
  table: string,
  column: string,
  events: readonly ('insert' | 'update')[] = ['insert'],
): string[] =>
  events.map(
    (event) =>
      `drop trigger "${table}_${column}_not_erased${event === 'insert' ? '' : '_by_update'}" on "${table}";`,
  );

/** A PlatformError for an error that a trigger of `refuseErasedAccount` raised; undefined for any other error. */
export function refusalOfErasedAccount(thrown: unknown): PlatformError | undefined {
  if (!isNativeError(thrown) || (thrown as { code?: unknown }).code !== REFUSED) return undefined;
  return conflict('The account that this is about has been deleted.', { cause: thrown });
}

/** SQLSTATE that `refuse_erased_account` raises. */
const REFUSED = 'PF001';
