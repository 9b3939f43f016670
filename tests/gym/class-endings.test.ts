import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cancelBookingsOf, cancelSessionsAt } from '../../subgraphs/gym/classes/endings.ts';
import { database } from '../../subgraphs/gym/database.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';
import { book, moveInTime, newClass, sessionsOf } from './class-support.ts';
import { newLocation, newMember, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
let maya: Member;
let leo: Member;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  [maya, leo] = await Promise.all([newMember(platform), newMember(platform)]);
});
afterAll(() => platform.stop());

/** Runs a function of the service in a transaction on the service's database. */
async function inTransaction(work: (unit: UnitOfWork) => Promise<void>): Promise<void> {
  const [row] = await platform.sql('gym', 'select current_database() as name');
  const orm = await openDatabase(database, {
    server: testRun.current().server,
    name: row.name as string,
    migrate: false,
  });
  try {
    const unit = new UnitOfWork(orm, ANONYMOUS, createLogger('test', 'silent'), NO_ORIGIN);
    await unit.transaction(() => work(unit));
  } finally {
    await orm.close(true);
  }
}

const statusOf = async (id: string) =>
  (await platform.rest('gym', 'GET', `/bookings/${id}`, { token: staff })).body.status as string;

it('a membership that ends cancels the bookings of coming sessions, also after the deadline for cancellations, and others get the places; the address of the calendar is no longer valid', async () => {
  const { session } = await newClass(platform, staff, { capacity: 1, inHours: 1 });
  const { session: past } = await newClass(platform, staff, { capacity: 1 });
  const own = await book(platform, maya.token, session.id);
  const next = await book(platform, leo.token, session.id);
  const before = await book(platform, maya.token, past.id);
  await moveInTime(platform, past.id, -30);
  const { body: calendar } = await platform.rest('gym', 'GET', '/users/me/calendar', { token: maya.token });
  await inTransaction((unit) => cancelBookingsOf(unit, DEMO_GYMS.ironTemple.id, maya.id));
  expect([await statusOf(own.body.id), await statusOf(next.body.id), await statusOf(before.body.id)]).toEqual(
    ['CANCELLED', 'BOOKED', 'BOOKED'],
  );
  expect((await fetch(`${platform.url('gym')}${calendar.url}`)).status).toBe(404);
});

it('the deletion of an account cancels its bookings, others get the places, and bookings and events no longer contain the id of the user', async () => {
  const { session } = await newClass(platform, staff, { capacity: 1 });
  const gone = await newMember(platform);
  const own = await book(platform, gone.token, session.id);
  const next = await book(platform, leo.token, session.id);
  const identity = await platform.serviceToken('identity');
  const erased = await platform.rest('gym', 'DELETE', `/accounts/${gone.id}`, { token: identity });
  expect(erased.body.outcome).toBe('ANONYMISED');
  expect([await statusOf(own.body.id), await statusOf(next.body.id)]).toEqual(['CANCELLED', 'BOOKED']);
  for (const table of ['booking', 'event', 'event_outbox'])
    expect(
      await platform.sql(
        'gym',
        `select 1 from ${table} where to_jsonb(${table})::text like '%' || $1 || '%' ${table === 'booking' ? '' : "and type = 'booking.changed'"}`,
        [gone.id],
      ),
    ).toEqual([]);
});

it('a location that is closed for good cancels its coming sessions with their bookings, and has no class', async () => {
  const locationId = await newLocation(platform, staff, { capacity: 10, timezone: 'UTC' });
  const { gymClass, session } = await newClass(platform, staff, { locationId, rrule: 'FREQ=DAILY;COUNT=3' });
  const booking = await book(platform, maya.token, session.id);
  await inTransaction((unit) => cancelSessionsAt(unit, locationId));
  expect(await statusOf(booking.body.id)).toBe('CANCELLED');
  const sessions = await sessionsOf(platform, staff, gymClass.id);
  expect(new Set(sessions.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
  const { body } = await platform.rest('gym', 'GET', `/classes?locationId=${locationId}`, { token: staff });
  expect(body).toEqual([]);
});
