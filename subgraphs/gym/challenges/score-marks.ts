import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Challenge } from './challenge.entity.ts';
import { countTrainings } from './count-trainings.ts';
import { IS_COUNTED_FROM_TRAININGS, isCountedFromTrainings } from './training-scores.ts';

/**
 * Marks the scores of participants, in the open transaction; see `TrainingScores`. All transactions lock the rows in the same
 * order.
 * @param condition SQL about the challenge `c` and the participant `p`
 * @returns the number of marked scores
 */
async function mark(unit: UnitOfWork, condition: string, values: readonly unknown[]): Promise<number> {
  const marked = await unit.run<unknown>(
    `with due as (
       select p.challenge_id, p.user_id from challenge_participant p join challenge c on c.id = p.challenge_id
       where ${IS_COUNTED_FROM_TRAININGS} and ${condition} order by p.challenge_id, p.user_id for no key update of p
     )
     update challenge_participant p set recount_mark = gen_random_uuid(), recount_at = now()
     from due where p.challenge_id = due.challenge_id and p.user_id = due.user_id returning 1`,
    values,
  );
  if (marked.length > 0) await countSoon(unit);
  return marked.length;
}

/** Adds the job that counts the marked scores; it runs after the commit. */
export const countSoon = (unit: UnitOfWork): Promise<void> =>
  addJob(unit.em, countTrainings, {}, { key: 'marked' });

/**
 * Marks the scores of users whose trainings have changed, in the challenges that had not ended at the time of the change (`at`).
 */
export const markChanged = (
  unit: UnitOfWork,
  changes: readonly { userId: string; at: string }[],
): Promise<number> =>
  mark(
    unit,
    `exists (select 1 from unnest(?::uuid[], ?::timestamptz[]) as changed(user_id, at)
       where changed.user_id = p.user_id and c.ends_at > changed.at) and p.user_id = any(?::uuid[])`,
    [changes.map(({ userId }) => userId), changes.map(({ at }) => at), changes.map(({ userId }) => userId)],
  );

/** Marks all scores of the challenges that have not ended. */
export const markAll = async (unit: UnitOfWork): Promise<void> => {
  await mark(unit, 'c.ends_at > now()', []);
};

/**
 * Marks all scores of a challenge whose times or metric have changed; returns their number. If its metric is not counted from
 * trainings, removes the marks instead.
 */
export async function markParticipants(
  unit: UnitOfWork,
  { id, metric }: Pick<Challenge, 'id' | 'metric'>,
): Promise<number> {
  if (isCountedFromTrainings(metric)) return mark(unit, 'c.id = ?', [id]);
  await unit.run(
    'update challenge_participant set recount_mark = null, recount_at = null where challenge_id = ? and recount_mark is not null returning 1',
    [id],
  );
  return 0;
}
