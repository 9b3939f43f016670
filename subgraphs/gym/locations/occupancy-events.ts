import type { Notifications } from '#server/database/notifications.ts';
import { EVENT_KIND } from '#server/event-kind.ts';
import { eventSource } from '#server/event-source.ts';
import { notifying, notifyingValues } from '#server/observability/event-cause.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

export const OCCUPANCY_CHANNEL = 'occupancy';

/** Notifies every replica, at commit, that the occupancy of a location has changed. */
export async function notifyOccupancy(unit: UnitOfWork, locationId: string): Promise<void> {
  await unit.em.execute(
    `select ${notifying('location_id')} from (select ?::text as location_id) as changed`,
    [...notifyingValues(OCCUPANCY_CHANNEL), locationId],
  );
}

/**
 * An event at once, at every change of the location's occupancy by any replica, and when the connection for notifications is
 * restored, because changes may have been missed; a slow reader gets only the latest event.
 */
export const occupancyEvents = (
  notifications: Notifications,
  locationId: string,
): Promise<AsyncIterableIterator<{ locationId: string }>> =>
  eventSource(
    async (stream) => {
      // An event only means that the occupancy must be read again, so one waiting event is enough. If one waits already, the
      // first `push` drops both events and returns false, and the second `push` adds the event again.
      const event = { locationId, [EVENT_KIND]: 'whole' as const };
      const notify = () => stream.push(event) || stream.push(event);
      stream.onStop(
        notifications.on(OCCUPANCY_CHANNEL, (changed) => {
          if (changed === locationId || changed === undefined) notify();
        }),
      );
      notify();
    },
    { limit: 1, whenFull: 'start-again' },
  );
