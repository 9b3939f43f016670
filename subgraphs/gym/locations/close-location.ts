import { actorOf, requireUser } from '#server/auth/viewer.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { notFound } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { mayManage, requireManage } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { closedEvents, endVisits } from '../check-ins/visits.ts';
import { cancelSessionsAt } from '../classes/endings.ts';
import { lockLocations, type LockedLocation } from './location-locks.ts';
import { Location } from './location.entity.ts';
import { levelEvents } from './occupancy-level.ts';

/** Ends something at a location, in the transaction that closes the location. The location is locked. */
type EffectOfClosing = (unit: UnitOfWork, location: LockedLocation) => Promise<void>;

/** Everything that the closing of a location ends, in this order. */
const EFFECTS: readonly EffectOfClosing[] = [endOpenVisits, (unit, { id }) => cancelSessionsAt(unit, id)];

/**
 * Closes a location for good; closing it again changes nothing. Audited.
 * @throws NOT_FOUND, FORBIDDEN for others than staff, VERSION_CONFLICT
 */
export async function closeLocation(
  unit: UnitOfWork,
  id: string,
  expectedVersion: number | null | undefined,
): Promise<Location> {
  const viewer = requireUser(unit.viewer);
  return unit.transaction(async () => {
    const location = await lockedForChange(unit, Location, {
      what: 'location',
      id,
      expectedVersion,
      decide: (stored) => {
        if (stored.closedAt && !mayManage(viewer, stored)) throw notFound('location', id);
        requireManage(viewer, 'location', stored, 'Only the staff of the gym may close a location.');
      },
    });
    if (location.closedAt) return location;
    location.closedAt = new Date();
    location.version += 1;
    await unit.em.flush();
    const [locked] = await lockLocations(unit, 'id = ?', [id]);
    if (locked) for (const effect of EFFECTS) await effect(unit, locked);
    await audit(unit, {
      gymId: location.gymId,
      actorId: actorOf(viewer),
      action: 'LOCATION_CLOSED',
      details: { locationId: id },
    });
    return location;
  });
}

async function endOpenVisits(unit: UnitOfWork, location: LockedLocation): Promise<void> {
  const ended = await endVisits(unit, 'location_id = ?', [location.id], 'MANUAL');
  await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, [location]))]);
}
