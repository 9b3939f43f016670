import type { NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { LockedLocation } from './location-locks.ts';
import type { OccupancyShape } from './locations.shapes.ts';

const BUSY_FROM_PERCENT = 80;

/** The occupancy of a location with this many people inside. */
export function occupancyWith(people: number, capacity: number): Omit<OccupancyShape, 'updatedAt'> {
  const percent = Math.round((people / capacity) * 100);
  const level = people >= capacity ? 'FULL' : percent >= BUSY_FROM_PERCENT ? 'BUSY' : 'OK';
  return { people, capacity, percent, level };
}

/**
 * The events for the locations whose level differs from their `announcedLevel`, which is also updated. Call it after the
 * visits have changed, while the locations are locked.
 * @param known the number of people inside, by the id of the location; the others are counted
 */
export async function levelEvents(
  unit: UnitOfWork,
  locations: readonly LockedLocation[],
  known: ReadonlyMap<string, number> = new Map(),
): Promise<NewEvent[]> {
  const unknown = locations.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  const counted = unknown.length > 0 ? await peopleInside(unit, unknown) : new Map<string, number>();
  const events: NewEvent[] = [];
  for (const { id, gymId, capacity, announcedLevel } of locations) {
    const occupancy = occupancyWith(known.get(id) ?? counted.get(id) ?? 0, capacity);
    if (occupancy.level === announcedLevel) continue;
    await unit.em.execute('update location set announced_level = ? where id = ?', [occupancy.level, id]);
    const occurredAt = new Date();
    const data = { locationId: id, ...occupancy, updatedAt: occurredAt.toISOString() };
    events.push({ type: 'occupancy.level_changed', gymId, subject: `location/${id}`, data, occurredAt });
  }
  return events;
}

async function peopleInside(unit: UnitOfWork, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await unit.em.execute<{ id: string; people: number }[]>(
    `select location_id as id, count(*)::int as people from check_in
     where location_id = any(?::uuid[]) and checked_out_at is null and expires_at > now() group by location_id`,
    [`{${ids.join(',')}}`],
  );
  return new Map(rows.map(({ id, people }) => [id, people]));
}
