import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { contradictionIn, type Call } from './booking-history.ts';
import { newClass, storedMembers } from './class-support.ts';
import { newLocation } from './support.ts';

/** The number of members, each of whom books. `BOOKINGS=5000 npm test -- tests/gym/booking-storm.test.ts` */
const BOOKINGS = Number(process.env.BOOKINGS ?? 120);
/** The places of the session. */
const PLACES = Math.ceil(BOOKINGS / 10);
/** Calls that run at once. */
const AT_ONCE = 40;

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

describe('bookings and cancellations of many members at once, at two replicas', () => {
  it(
    'fill exactly the places, keep the order of arrival, and promote in the transaction that frees a place',
    async () => {
      const replica = await platform.replica('gym');
      const urls = [platform.url('gym'), replica.url];
      const locationId = await newLocation(platform, staff, { capacity: BOOKINGS, timezone: 'UTC' });
      const { session } = await newClass(platform, staff, { locationId, capacity: PLACES });
      const members = await storedMembers(platform, BOOKINGS);
      const latest = await platform.rest('gym', 'GET', '/events?after=latest', { token: staff });
      const calls: Call[] = [];
      const statuses: number[] = [];

      const send = async (
        kind: Call['kind'],
        userId: string,
        method: string,
        path: string,
        body?: object,
      ) => {
        const begunAt = performance.now();
        const response = await fetch(`${urls[calls.length % 2]}${path}`, {
          method,
          headers: { authorization: `Bearer ${staff}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        const answer = (await response.json()) as Untyped;
        statuses.push(response.status);
        const booking = response.ok
          ? { id: answer.id, status: answer.status, position: answer.position }
          : undefined;
        calls.push({ kind, userId, begunAt, endedAt: performance.now(), booking });
        return booking;
      };

      const waiting = [...members];
      const worker = async () => {
        for (let userId = waiting.pop(); userId; userId = waiting.pop()) {
          const path = `/class-sessions/${session.id}/bookings`;
          const booking = await send('book', userId, 'POST', path, { userId });
          // A tenth of the members book twice, which is refused; a third of them cancel, and half of these book again.
          if (Math.random() < 0.1) await send('book', userId, 'POST', path, { userId });
          if (booking && Math.random() < 0.33) {
            await send('cancel', userId, 'DELETE', `/bookings/${booking.id}`);
            if (Math.random() < 0.5) await send('book', userId, 'POST', path, { userId });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));

      expect(statuses.filter((status) => ![200, 201, 409].includes(status))).toEqual([]);
      const [counted] = await platform.sql(
        'gym',
        `select class_session.booked, class_session.waiting,
           (select count(*)::int from booking where session_id = class_session.id and status = 'BOOKED') as "isBooked",
           (select count(*)::int from booking where session_id = class_session.id and status = 'WAITING') as "isWaiting"
         from class_session where id = $1`,
        [session.id],
      );
      expect(counted).toMatchObject({ booked: PLACES, isBooked: PLACES, waiting: counted.isWaiting });
      const events = await eventsAfter(latest.body.next as string, session.id as string);
      expect(contradictionIn(calls, events, PLACES)).toBeUndefined();
    },
    BOOKINGS > 1_000 ? 600_000 : undefined,
  );
});

/** The events of the session and its bookings, in the order of the feed. */
async function eventsAfter(cursor: string, sessionId: string): Promise<Untyped[]> {
  const found: Untyped[] = [];
  for (let after = cursor; ;) {
    const { body } = await platform.rest(
      'gym',
      'GET',
      `/events?after=${after}&types=booking.changed,class_session.changed&limit=200`,
      { token: staff },
    );
    found.push(
      ...body.events.filter(({ data }: Untyped) => data.sessionId === sessionId || data.id === sessionId),
    );
    if (body.events.length === 0) return found;
    after = body.next;
  }
}
