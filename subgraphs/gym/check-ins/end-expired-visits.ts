import { z } from 'zod';
import { recordEvents } from '#server/events/record-events.ts';
import { addJob } from '#server/jobs/add-job.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { lockLocations } from '../locations/location-locks.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import { closedEvents, endVisits } from './visits.ts';

/** The length of a slot: visits that expire in the same slot are ended together, at the end of the slot. */
const SLOT_SECONDS = 10;
/** Locations with expired visits that one run handles. */
const MAX_LOCATIONS = 1_000;

/**
 * Ends visits that have lasted as long as their location allows. It runs every minute, and plans further runs for the visits
 * that expire before the next minute. So a visit ends at most 15 s late, or 60 s if it began less than a minute before its end.
 */
export const endExpiredVisits: Job<Record<string, never>> = jobOf<object>()({
  name: 'end_expired_visits',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit, unitOf }) {
    const ended = await endDue(unitOf);
    if (ended > 0) unit.log.info({ ended }, 'expired visits ended');
    for (const at of await nextSlots(unit))
      await addJob(unit.em, endExpiredVisits, {}, { runAt: at, key: at.toISOString() });
  },
});

/** Ends the expired visits of all locations, each location in a transaction of its own; returns their number. */
async function endDue(unitOf: () => UnitOfWork): Promise<number> {
  const due = await unitOf().em.execute<{ id: string }[]>(
    `select distinct location_id as id from check_in where checked_out_at is null and expires_at <= now() limit ${MAX_LOCATIONS}`,
  );
  let count = 0;
  for (const { id } of due) {
    const unit = unitOf();
    count += await unit.transaction(async () => {
      const locations = await lockLocations(unit, 'id = ?', [id]);
      const ended = await endVisits(unit, 'location_id = ? and expires_at <= now()', [id], 'AUTOMATIC');
      if (ended.length > 0)
        await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, locations))]);
      return ended.length;
    });
  }
  return count;
}

/** The ends of the slots in which visits expire within the next 70 s, a little longer than until the next run. */
async function nextSlots(unit: UnitOfWork): Promise<Date[]> {
  const rows = await unit.em.execute<{ ends: number }[]>(
    `select distinct (ceil(extract(epoch from expires_at) / ${SLOT_SECONDS}) * ${SLOT_SECONDS})::int as ends from check_in
     where checked_out_at is null and expires_at > now() and expires_at <= now() + interval '70 seconds'`,
  );
  return rows.map(({ ends }) => new Date(ends * 1_000));
}
