import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Rows that one call removes at most; whoever calls repeats it until it gives less. */
const BATCH = 1_000;

/** Wishes for a new password, and invitations' mails, from before then. The token of an invitation works for 7 days. */
export async function removePasswordResets(unit: UnitOfWork, before: Date): Promise<number> {
  const rows = await unit.em.execute<unknown[]>(
    `delete from password_reset where id in (
       select id from password_reset where requested_at < ? order by requested_at limit ${BATCH} for update skip locked
     ) returning 1`,
    [before],
  );
  return rows.length;
}
