import { z } from 'zod';
import { addJob } from '#server/jobs/add-job.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { OCCUPANCY_CHANNEL } from '../locations/occupancy-events.ts';

/** Visits that expire within so many seconds of each other end together. */
const SLOT_SECONDS = 10;

/**
 * Ends visits that have lasted as long as their location allows. It runs every minute, and plans further runs for the visits
 * that expire before the next minute. So a visit ends at most 15 s late, or 60 s if it began within the last minute.
 */
export const endExpiredVisits: Job<Record<string, never>> = jobOf<object>()({
  name: 'end_expired_visits',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit }) {
    const ended = await endDue(unit);
    if (ended > 0) unit.log.info({ ended }, 'expired visits ended');
    for (const at of await nextSlots(unit))
      await addJob(unit.em, endExpiredVisits, {}, { runAt: at, key: at.toISOString() });
  },
});

/**
 * Ends the visits that have expired, and returns their number. With one statement, the end of the visits and its notification
 * are committed together. Two runs at once end a visit only once, because the update takes only rows that are still open.
 */
async function endDue(unit: UnitOfWork): Promise<number> {
  const [{ ended } = { ended: 0 }] = await unit.em.execute<{ ended: number }[]>(
    // The statement skips locked rows: another run is ending them, or the next one will. So no run waits for a lock.
    `with due as (
       select id from check_in where checked_out_at is null and expires_at <= now() for no key update skip locked
     ), ended as (
       update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
       from due where check_in.id = due.id returning location_id
     ), notified as (
       select pg_notify(?, location_id::text) from (select distinct location_id from ended) as changed
     )
     select (select count(*)::int from ended) as ended, (select count(*) from notified) as notified`,
    [OCCUPANCY_CHANNEL],
  );
  return ended;
}

/** The ends of the slots in which visits expire, until after the next full minute. */
async function nextSlots(unit: UnitOfWork): Promise<Date[]> {
  const rows = await unit.em.execute<{ ends: number }[]>(
    `select distinct (ceil(extract(epoch from expires_at) / ${SLOT_SECONDS}) * ${SLOT_SECONDS})::int as ends from check_in
     where checked_out_at is null and expires_at > now() and expires_at <= now() + interval '70 seconds'`,
  );
  return rows.map(({ ends }) => new Date(ends * 1_000));
}
