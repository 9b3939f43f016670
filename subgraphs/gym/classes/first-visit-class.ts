import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** The initial length of first visits; staff can change it for each location. */
const FIRST_VISIT_MINUTES = 30;

/** Adds the class of first visits to a location, unless it has one. The transaction has locked the gym. */
export async function addFirstVisitClass(unit: UnitOfWork, locationId: string): Promise<void> {
  await unit.run(
    `insert into gym_class (id, gym_id, location_id, title, duration_minutes, capacity, cancel_before_minutes, following,
       made_until, is_first_visit, active, version, created_at)
     select ?::uuid, gym_id, id, 'First visit', ${FIRST_VISIT_MINUTES}, capacity, 120, '[]', now(), true, true, 1, now()
     from location where id = ? and closed_at is null on conflict do nothing`,
    [uuidv7(), locationId],
  );
}
