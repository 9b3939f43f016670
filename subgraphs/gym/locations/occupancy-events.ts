import type { Notifications } from '#server/database/notifications.ts';
import { eventStream } from '#server/event-stream.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

export const OCCUPANCY_CHANNEL = 'occupancy';

/** Tells every replica, at commit, that the people inside a location have changed. */
export async function announceOccupancy(unit: UnitOfWork, locationId: string): Promise<void> {
  await unit.em.execute('select pg_notify(?, ?)', [OCCUPANCY_CHANNEL, locationId]);
}

/** An event at once and then at every change of that location, on whichever replica it happens; a slow reader gets the latest only. */
export const occupancyEvents = (
  notifications: Notifications,
  locationId: string,
): AsyncIterableIterator<{ locationId: string }> =>
  eventStream({
    listen: (push) =>
      notifications.on(OCCUPANCY_CHANNEL, (changed) => {
        if (changed === locationId) push({ locationId });
      }),
    snapshot: async () => ({ locationId }),
    maxPending: 1,
  });
