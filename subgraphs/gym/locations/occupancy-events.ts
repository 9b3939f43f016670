import type { Notifications } from '#server/database/notifications.ts';
import { EVENT_KIND } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
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
): Promise<AsyncIterableIterator<{ locationId: string }>> =>
  eventSource(
    async (stream) => {
      // An event only says that it is time to look; one that waits is as good as many.
      const event = { locationId, [EVENT_KIND]: 'whole' as const };
      const tell = () => stream.push(event) || stream.push(event);
      stream.onStop(
        notifications.on(OCCUPANCY_CHANNEL, (changed) => {
          if (changed === locationId) tell();
        }),
      );
      tell();
    },
    { limit: 1, whenFull: 'start-again' },
  );
