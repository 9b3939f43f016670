import type { Notifications } from '#server/database/notifications.ts';
import { eventSource } from '#server/event-source.ts';
import { notifying } from '#server/observability/event-cause.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

export const CLASS_SESSIONS_CHANNEL = 'class_sessions';

/** The most changed sessions that one subscriber reads after the connection for notifications was lost. */
const MAX_MISSED = 500;
/**
 * Changes are read again from this long before the last notification, because `changed_at` is set before the commit: a
 * transaction that was open when the connection was lost may have written an earlier time.
 */
const OVERLAP_MILLIS = 30_000; // 30 s

/** SQL that notifies every replica, at commit, of changed sessions. Its values: `notifyingValues`, and the sessions' ids. */
export const NOTIFY_SESSIONS = `select ${notifying("location_id || ' ' || id")} from class_session where id = any(?::uuid[])`;

export interface SessionChanged {
  sessionId: string;
}

/**
 * An event at each change of a session at the location by any replica. An event has only the session's id: the session is
 * read when the event is delivered.
 * @param missedSince reads the ids of sessions at the location that have changed since a time
 */
export const sessionEvents = (
  notifications: Notifications,
  locationId: string,
  missedSince: (time: Date) => Promise<string[]>,
): Promise<AsyncIterableIterator<SessionChanged>> =>
  eventSource(async (stream) => {
    let lastNotifiedAt = Date.now();
    const send = (sessionId: string) => stream.push({ sessionId });
    stream.onStop(
      notifications.on(CLASS_SESSIONS_CHANNEL, (changed) => {
        if (changed === undefined) {
          const since = new Date(lastNotifiedAt - OVERLAP_MILLIS);
          missedSince(since).then(
            (ids) => ids.forEach(send),
            () => stream.end(), // the client subscribes again, and reads the sessions
          );
          return;
        }
        lastNotifiedAt = Date.now();
        const [location, sessionId = ''] = changed.split(' ');
        if (location === locationId) send(sessionId);
      }),
    );
  });

/** The ids of the sessions at a location that have changed since a time, the latest change last; at most `MAX_MISSED`. */
export async function changedSince(unit: UnitOfWork, locationId: string, time: Date): Promise<string[]> {
  const rows = await unit.read<{ id: string }>(
    `select id from class_session where location_id = ? and changed_at >= ? order by changed_at desc limit ${MAX_MISSED}`,
    [locationId, time],
  );
  return rows.map(({ id }) => id).toReversed();
}
