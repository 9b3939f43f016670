import { z } from 'zod';
import { uuidv7 } from '#server/ids.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { preventWithdrawalOfGym } from '../gyms/gym-locks.ts';

/**
 * Makes the next challenge of each one that recurs and has begun, so that a series always has a coming challenge. After a long
 * stop it leaves out the months that have passed.
 */
export const continueChallenges = jobOf<object>()({
  name: 'continue_challenges',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'hour',
  async run(_payload, { unitOf, signal }) {
    while (!signal.aborted && (await continueOne(unitOf()))) {
      // A challenge that was just made may have begun, too, and then also needs its next one.
    }
  },
});

const TO_CONTINUE = 'recurrence is not null and continued_at is null and starts_at <= now()';

/** The months after a challenge in which its next one is looked for: 100 years. */
const MONTHS = 1_200;

/**
 * Copies the challenge to the first later month in which the copy has not ended yet. Its times are computed from the first
 * challenge of the series in its time zone. So a series from day 31 returns to this day after a shorter month, and summer time
 * does not change the local times.
 */
const COPY = `
  insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, recurrence, timezone,
    series_starts_at, series_ends_at, series_index, version, created_at)
  select ?::uuid, gym_id, title, metric, goal, next.starts_at, next.ends_at, recurrence, timezone,
    series_starts_at, series_ends_at, next.index, 1, now()
  from challenge, lateral (
    select index,
      ((series_starts_at at time zone timezone) + index * interval '1 month') at time zone timezone as starts_at,
      ((series_ends_at at time zone timezone) + index * interval '1 month') at time zone timezone as ends_at
    from generate_series(series_index + 1, series_index + ${MONTHS}) as index
  ) as next
  where id = ?::uuid and next.ends_at > now() and next.starts_at > challenge.starts_at
  order by next.index limit 1`;

/** Makes one next challenge. Returns false if no challenge needs one. */
async function continueOne(unit: UnitOfWork): Promise<boolean> {
  return unit.transaction(async () => {
    const [due] = await unit.run<{ id: string; gymId: string }>(
      `select id, gym_id as "gymId" from challenge where ${TO_CONTINUE} order by starts_at limit 1`,
      [],
    );
    if (!due) return false;
    await preventWithdrawalOfGym(unit, due.gymId);
    // If another replica has continued it meanwhile, nothing is updated.
    const marked = await unit.run<unknown>(
      `update challenge set continued_at = now() where id = ? and ${TO_CONTINUE} returning 1`,
      [due.id],
    );
    if (marked.length > 0) await unit.run(COPY, [uuidv7(), due.id]);
    return true;
  });
}
