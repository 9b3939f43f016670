import { Outcome, type ErasureResult } from '#server/accounts/account-part.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { eraseFromEvents } from '#server/events/erase-events.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { cancelBookingsOf } from '../classes/endings.ts';
import { lockMember } from '../check-ins/member-lock.ts';
import { closedEvents, endVisits } from '../check-ins/visits.ts';
import { lockLocations } from '../locations/location-locks.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import { cancelAllOrdersOf } from '../orders/cancel-orders.ts';

/**
 * Erases the identity and the texts of a member; statistics of the gym and texts of other users stay. It runs in the
 * transaction of the calling code, which has ensured that nothing new about the member is written. Each statement finds its
 * rows by an index, and takes its locks in the same order as the rules.
 */
export async function eraseMember(unit: UnitOfWork, userId: string): Promise<ErasureResult> {
  const run = async (sql: string): Promise<number> =>
    (await unit.em.execute<unknown[]>(`${sql} returning 1`, [userId])).length;

  await lockMember(unit, userId);
  await cancelAllOrdersOf(unit, userId);
  await leaveLocation(unit, userId);
  await leaveChallenges(unit, userId);
  await cancelBookingsOf(unit, null, userId);
  await removeFromPosts(unit, userId);
  await run(
    `delete from post where author_id = ? and not exists (select 1 from post_comment where post_id = post.id)`,
  );
  const anonymised =
    (await run(
      `update post set author_id = null, text = '', image = null, version = version + 1 where author_id = ?`,
    )) +
    // First the member's own visits, most of which have the member's id in both columns; then the visits of other members
    // whom the user let in as staff.
    (await run(ofVisits('user_id = ?', 'user_id = null, checked_in_by = nullif(checked_in_by, user_id)'))) +
    (await run(
      ofVisits('checked_in_by = ? and checked_in_by is distinct from user_id', 'checked_in_by = null'),
    )) +
    (await run('update booking set user_id = null where user_id = ?')) +
    (await run('update check_in_denial set user_id = null where user_id = ?')) +
    (await run('update check_in_denial set presented_by = null where presented_by = ?')) +
    (await run('update shop_order set user_id = null, version = version + 1 where user_id = ?')) +
    (await run('update stock_movement set actor_id = null where actor_id = ?')) +
    (await run('update announcement set author_id = null where author_id = ?')) +
    (await run(`update gym_config_version set published_by = '${NOBODY}' where published_by = ?`)) +
    (await run(`update gym_config_draft set updated_by = '${NOBODY}' where updated_by = ?`));
  await eraseAnswersAbout(unit, userId);
  await eraseFromEvents(unit, userId);
  return resultOf(anonymised > 0, await isInAudit(unit, userId));
}

/** SQL of an update that locks visits in the order of their ids, as check-ins do when they end several visits. */
const ofVisits = (where: string, change: string): string =>
  `with theirs as (select id from check_in where ${where} order by id for no key update)
   update check_in set ${change} from theirs where check_in.id = theirs.id`;

/** Stored instead of the id of the user who published a configuration or changed a draft. */
const NOBODY = 'deleted account';

/** Ends the member's open visit, so that the location has room at once. */
async function leaveLocation(unit: UnitOfWork, userId: string): Promise<void> {
  const locations = await lockLocations(
    unit,
    'id = any(array(select location_id from check_in where user_id = ? and checked_out_at is null))',
    [userId],
  );
  const ended = await endVisits(unit, 'user_id = ?', [userId], 'MANUAL');
  await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, locations))]);
}

/**
 * Deletes the member's participation in each challenge. Each deletion locks rows of `challenge_score_count`, which check-ins of
 * other members lock, too; so it takes the challenges in the same order as check-ins, to avoid deadlocks.
 */
async function leaveChallenges(unit: UnitOfWork, userId: string): Promise<void> {
  // For an array, PostgreSQL uses the index of `challenge` whatever number of rows it expects; for `in (select ...)` it may not.
  const joined = await unit.em.execute<{ id: string }[]>(
    `select id from challenge where id = any(array(select challenge_id from challenge_participant where user_id = ?))
     order by id for key share`,
    [userId],
  );
  for (const { id } of joined)
    await unit.em.execute('delete from challenge_participant where challenge_id = ? and user_id = ?', [
      id,
      userId,
    ]);
}

/**
 * Deletes the member's likes, comments and reports, and all users' likes and reports of the member's own posts; corrects the
 * counts of likes and comments.
 */
async function removeFromPosts(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute(
    `select id from post where id = any(array(
       select post_id from post_like where user_id = ?
       union select post_id from post_comment where author_id = ?
       union select post_id from post_report where reporter_id = ?
       union select post_id from comment_report where reporter_id = ?
       union select id from post where author_id = ?
     )) order by id for update`,
    [userId, userId, userId, userId, userId],
  );
  for (const [table, column, counter] of [
    ['post_like', 'user_id', 'like_count'],
    ['post_comment', 'author_id', 'comment_count'],
  ] as const)
    await unit.em.execute(
      `with gone as (delete from ${table} where ${column} = ? returning post_id)
       update post set ${counter} = ${counter} - counted.rows
       from (select post_id, count(*)::int as rows from gone group by post_id) as counted
       where post.id = counted.post_id`,
      [userId],
    );
  for (const table of ['post_report', 'comment_report'])
    await unit.em.execute(`delete from ${table} where reporter_id = ?`, [userId]);
  for (const table of ['post_report', 'post_like'])
    await unit.em.execute(
      `delete from ${table} where post_id = any(array(select id from post where author_id = ?))`,
      [userId],
    );
  await unit.em.execute('update post set like_count = 0 where author_id = ?', [userId]);
}

/** Deletes the pictures of the member's posts. The rows still name them until `eraseMember` has run. */
export async function erasePicturesOf(unit: UnitOfWork, files: FileStorage, userId: string): Promise<void> {
  const rows = await unit.em.execute<{ image: string }[]>(
    'select image from post where author_id = ? and image is not null',
    [userId],
  );
  for (const { image } of rows) await files.delete(image);
}

/** Removes what receivers of webhooks have answered to events about the member, because an answer may repeat the data. */
async function eraseAnswersAbout(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute(
    `update webhook_delivery set attempts = (
       select coalesce(jsonb_agg(one || '{"answer": null}'), '[]') from jsonb_array_elements(attempts) as one)
     where event_id = any(array(select id from event where people @> array[?::uuid])) and attempts <> '[]'`,
    [userId],
  );
}

async function isInAudit(unit: UnitOfWork, userId: string): Promise<boolean> {
  const rows = await unit.em.execute<unknown[]>(
    // Two subqueries instead of one with an "or", so that each uses its index.
    `select 1 where exists (select 1 from audit_event where actor_id = ?)
       or exists (select 1 from audit_event where details ->> 'userId' = ?)`,
    [userId, userId],
  );
  return rows.length > 0;
}

function resultOf(isAnonymised: boolean, isInTheAudit: boolean): ErasureResult {
  const anonymised =
    'Visits, denials and bookings stay in the statistics of the gym. Orders and movements of the stock stay in the books of the gym. Posts with comments of other users stay without author, text and picture. Announcements and configurations stay without a name. Events of the last month stay without the member. Nothing identifies the user.';
  const audited = 'The audit trail of staff keeps the id of the account, without name or address.';
  if (isInTheAudit)
    return { outcome: Outcome.RETAINED, reason: isAnonymised ? `${audited} ${anonymised}` : audited };
  if (isAnonymised) return { outcome: Outcome.ANONYMISED, reason: anonymised };
  return { outcome: Outcome.DELETED, reason: null };
}
