import { Outcome, type Verdict } from '#server/accounts/account-part.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { announceOccupancy } from '../locations/occupancy-events.ts';

/**
 * Figures of the gym and what others have written stay; who she was and what she wrote goes. In the transaction of the
 * caller, which has seen to it that nothing new of hers comes in.
 */
export async function eraseMember(unit: UnitOfWork, files: FileStorage, userId: string): Promise<Verdict> {
  const run = async (sql: string): Promise<number> =>
    (await unit.em.execute<unknown[]>(`${sql} returning 1`, [userId])).length;

  await leaveLocation(unit, userId);
  await takeBackFromPosts(unit, userId);
  for (const name of await picturesOf(unit, userId)) await files.delete(name);
  await run(
    `delete from post where author_id = ? and not exists (select 1 from post_comment where post_id = post.id)`,
  );
  await run('delete from challenge_participant where user_id = ?');
  const anonymised =
    (await run(`update post set author_id = null, text = '', image = null where author_id = ?`)) +
    (await run('update check_in set user_id = null where user_id = ?')) +
    (await run('update check_in set checked_in_by = null where checked_in_by = ?')) +
    (await run('update check_in_denial set user_id = null where user_id = ?')) +
    (await run('update check_in_denial set presented_by = null where presented_by = ?')) +
    (await run('update announcement set author_id = null where author_id = ?')) +
    (await run(`update gym_config_version set published_by = '${NOBODY}' where published_by = ?`)) +
    (await run(`update gym_config_draft set updated_by = '${NOBODY}' where updated_by = ?`));
  return verdictOf(anonymised > 0, await isInAudit(unit, userId));
}

/** Stands where a column tells by whom a configuration was published. */
const NOBODY = 'deleted account';

/** Her place is free at once. */
async function leaveLocation(unit: UnitOfWork, userId: string): Promise<void> {
  const left = await unit.em.execute<{ locationId: string }[]>(
    `update check_in set checked_out_at = least(now(), expires_at), check_out_kind = 'MANUAL'
     where user_id = ? and checked_out_at is null returning location_id as "locationId"`,
    [userId],
  );
  for (const { locationId } of left) await announceOccupancy(unit, locationId);
}

/** Her likes and comments with what counts them, her reports, and those of her posts: what they were about goes. */
async function takeBackFromPosts(unit: UnitOfWork, userId: string): Promise<void> {
  for (const [table, column, counter] of [
    ['post_like', 'user_id', 'like_count'],
    ['post_comment', 'author_id', 'comment_count'],
  ] as const)
    await unit.em.execute(
      `with gone as (delete from ${table} where ${column} = ? returning post_id)
       update post set ${counter} = ${counter} - counted.rows
       from (select post_id, count(*)::int as rows from gone group by post_id order by post_id) as counted
       where post.id = counted.post_id`,
      [userId],
    );
  await unit.em.execute(
    'delete from post_report where reporter_id = ? or post_id in (select id from post where author_id = ?)',
    [userId, userId],
  );
  await unit.em.execute(`delete from post_like where post_id in (select id from post where author_id = ?)`, [
    userId,
  ]);
  await unit.em.execute('update post set like_count = 0 where author_id = ?', [userId]);
}

async function picturesOf(unit: UnitOfWork, userId: string): Promise<string[]> {
  const rows = await unit.em.execute<{ image: string }[]>(
    'select image from post where author_id = ? and image is not null',
    [userId],
  );
  return rows.map(({ image }) => image);
}

async function isInAudit(unit: UnitOfWork, userId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>(
    `select 1 from audit_event where actor_id = ? or details ->> 'userId' = ? limit 1`,
    [userId, userId],
  );
  return rows.length > 0;
}

function verdictOf(isAnonymised: boolean, isInTheAudit: boolean): Verdict {
  const anonymised =
    'Visits and refused check-ins stay in the figures of the gym, posts that others commented stay without author, text and picture, announcements and configurations stay without a name: nobody can tell whose they were.';
  const audited = 'The audit of what staff did keeps the id of the account, without name or address.';
  if (isInTheAudit)
    return { outcome: Outcome.RETAINED, reason: isAnonymised ? `${audited} ${anonymised}` : audited };
  if (isAnonymised) return { outcome: Outcome.ANONYMISED, reason: anonymised };
  return { outcome: Outcome.DELETED, reason: null };
}
