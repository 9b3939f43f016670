import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { OccupancyShape } from './locations.shapes.ts';

/** A location that the transaction has locked. */
export interface LockedLocation {
  id: string;
  gymId: string;
  capacity: number;
  maxStayMinutes: number;
  /** The level of the last `occupancy.level_changed`. */
  announcedLevel: OccupancyShape['level'];
}

/** The columns of a LockedLocation. */
export const LOCKED_LOCATION = `id, gym_id as "gymId", capacity, max_stay_minutes as "maxStayMinutes", announced_level as "announcedLevel"`;

/**
 * Locks locations until the transaction ends, so that their visits begin and end one after the other. Call it before any
 * visit is locked. Rows are locked in the order of their ids, so that two of these statements cannot deadlock.
 */
export const lockLocations = (
  unit: UnitOfWork,
  where: string,
  values: readonly unknown[],
): Promise<LockedLocation[]> =>
  unit.em.execute<LockedLocation[]>(
    `select ${LOCKED_LOCATION} from location where ${where} order by id for no key update`,
    [...values],
  );
