import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import type { BookingStatus } from '../classes/booking.entity.ts';
import type { SessionStatus } from '../classes/session.entity.ts';
import type { HistoryContext } from './context.ts';

interface DemoSession {
  id: string;
  gymId: string;
  startsAt: Date;
  endsAt: Date;
  capacity: number;
}

/**
 * The probability that a user has cancelled a session that has begun, and the probability that a user who has not cancelled did
 * not come to a session that is over.
 */
const [CANCELLATIONS, NO_SHOWS] = [0.1, 0.1];

/** The bookings of users in the order of their arrival, and the status and the counts of their session. */
export function bookingsOf(context: HistoryContext, session: DemoSession, userIds: readonly string[]) {
  const { now, random } = context;
  const status: SessionStatus = session.endsAt <= now ? 'DONE' : 'SCHEDULED';
  let places = session.capacity;
  // Every booking is made more than an hour before the session begins, and more than an hour before the first start of the
  // platform (`now`).
  const last = Math.min(session.startsAt.getTime(), now.getTime()) - HOUR_MILLIS;
  const first = last - 6 * DAY_MILLIS;
  const rows = userIds.map((userId, index) => {
    const bookedAt = new Date(first + ((last - first) * (index + 1)) / (userIds.length + 1));
    const chosen = statusOf(context, session, places > 0);
    const hasPlace = chosen === 'BOOKED' || chosen === 'ATTENDED' || chosen === 'NO_SHOW';
    if (hasPlace) places -= 1;
    return {
      id: random.idAt(bookedAt),
      sessionId: session.id,
      gymId: session.gymId,
      userId,
      status: chosen,
      hasPlace,
      number: index + 1,
      startsAt: session.startsAt,
      bookedAt,
      promotedAt: null,
      cancelledAt: chosen === 'CANCELLED' ? new Date(Math.min(last, bookedAt.getTime() + HOUR_MILLIS)) : null,
    };
  });
  const counts = {
    status,
    booked: session.capacity - places,
    waiting: rows.filter((row) => row.status === 'WAITING').length,
    lastNumber: rows.length,
  };
  return { rows, counts };
}

function statusOf({ now, random }: HistoryContext, session: DemoSession, hasPlaces: boolean): BookingStatus {
  const isOver = session.endsAt <= now;
  // The waiting list of a session that is over was closed.
  if (!hasPlaces) return isOver ? 'CANCELLED' : 'WAITING';
  if (session.startsAt > now) return 'BOOKED';
  if (random.isLikely(CANCELLATIONS)) return 'CANCELLED';
  return isOver && random.isLikely(NO_SHOWS) ? 'NO_SHOW' : 'ATTENDED';
}
