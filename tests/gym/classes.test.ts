import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { book, localIn, newClass, sessionsOf } from './class-support.ts';
import { newLocation, newMember, place, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
let members: Member[];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(Array.from({ length: 3 }, () => newMember(platform)));
});
afterAll(() => platform.stop());

const member = (index: number): Member => members[index] as Member;
const put = (path: string, body: object, headers = {}) =>
  platform.rest('gym', 'PUT', path, { token: staff, body, headers });
const hourOf = ({ startsAt }: Untyped): string => startsAt.slice(11, 16);

describe('a class', () => {
  it('has sessions for the next eight weeks, at the local time of its location', async () => {
    const locationId = await newLocation(platform, staff, { timezone: 'Asia/Kolkata', capacity: 20 });
    const { gymClass, sessions } = await newClass(platform, staff, {
      locationId,
      recurrence: { startsAt: `${localIn(24).slice(0, 10)}T06:30`, rrule: 'FREQ=DAILY' },
    });
    expect(gymClass).toMatchObject({
      cancelBeforeMinutes: 120,
      active: true,
      version: 1,
      isFirstVisit: false,
    });
    expect(sessions.length).toBeGreaterThanOrEqual(54);
    expect(sessions.length).toBeLessThanOrEqual(57);
    expect(new Set(sessions.map(hourOf))).toEqual(new Set(['01:00']));
    expect(sessions[0]).toMatchObject({
      capacity: 2,
      booked: 0,
      waiting: 0,
      status: 'SCHEDULED',
      myBooking: null,
    });
    expect(sessions[0].class).toEqual(gymClass);
    const { body } = await platform.rest(
      'gym',
      'GET',
      `/classes/${gymClass.id}/occurrences?from=2027-03-01&to=2027-03-02`,
      { token: member(0).token },
    );
    expect(body).toEqual([
      {
        localStart: '2027-03-01T06:30',
        startsAt: '2027-03-01T01:00:00.000Z',
        endsAt: '2027-03-01T02:00:00.000Z',
      },
      {
        localStart: '2027-03-02T06:30',
        startsAt: '2027-03-02T01:00:00.000Z',
        endsAt: '2027-03-02T02:00:00.000Z',
      },
    ]);
  });

  it('is refused with more places than its location, a time that does not exist, or a rule that is wrong', async () => {
    const locationId = await newLocation(platform, staff, { capacity: 5 });
    const valid = {
      locationId,
      title: 'Yoga',
      durationMinutes: 60,
      capacity: 5,
      recurrence: { startsAt: '2037-01-05T18:00', rrule: null },
    };
    const create = (change: object, token = staff) =>
      platform.rest('gym', 'POST', '/classes', { token, body: { ...valid, ...change } });
    expect((await create({})).status).toBe(201);
    for (const [change, path] of [
      [{ capacity: 6 }, 'capacity'],
      [{ recurrence: { startsAt: '2037-02-30T18:00' } }, 'recurrence.startsAt'],
      [{ recurrence: { startsAt: '2037-02-20T18:00Z' } }, 'recurrence.startsAt'],
      [{ recurrence: { startsAt: '2037-02-20T18:00', rrule: 'FREQ=HOURLY' } }, 'recurrence.rrule'],
      [{ locationId: randomUUID() }, 'locationId'],
      [{ durationMinutes: 0 }, 'durationMinutes'],
    ] as const) {
      const { status, body } = await create(change);
      expect([status, body.code, body.errors?.[0].path]).toEqual([400, 'VALIDATION_FAILED', path]);
    }
    expect((await create({}, member(0).token)).status).toBe(403);
    expect((await create({}, await platform.demo('admin@aqua.test'))).body.errors[0].path).toBe('locationId');
  });

  it('changes its sessions that nobody has edited, which keep their ids and bookings; a capacity below the booked places is refused', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=DAILY;COUNT=5' });
    const [first, second, third] = sessions;
    await put(`/class-sessions/${second.id}`, { instructor: 'Ada', capacity: 9 });
    await book(platform, member(0).token, first.id);
    await book(platform, member(1).token, first.id);
    const waiting = await book(platform, member(2).token, first.id);
    expect((await put(`/classes/${gymClass.id}`, { capacity: 1 })).body.code).toBe('CONFLICT');
    const later = `${first.startsAt.slice(0, 10)}T23:15`;
    const changed = await put(
      `/classes/${gymClass.id}`,
      { capacity: 3, durationMinutes: 30, recurrence: { startsAt: later, rrule: 'FREQ=DAILY;COUNT=5' } },
      { 'If-Match': '"1"' },
    );
    expect([changed.status, changed.body.version]).toEqual([200, 2]);
    const after = await sessionsOf(platform, staff, gymClass.id);
    expect(new Set(after.map(({ id }) => id))).toEqual(new Set(sessions.map(({ id }) => id)));
    const byId = new Map(after.map((session) => [session.id, session]));
    expect(byId.get(first.id)).toMatchObject({
      startsAt: expect.stringContaining('T23:15'),
      capacity: 3,
      booked: 3,
      waiting: 0,
    });
    expect(byId.get(second.id)).toMatchObject({ startsAt: second.startsAt, capacity: 9, instructor: 'Ada' });
    expect(byId.get(third.id)).toMatchObject({ startsAt: expect.stringContaining('T23:15'), capacity: 3 });
    const promoted = await platform.rest('gym', 'GET', `/bookings/${waiting.body.id}`, {
      token: member(2).token,
    });
    expect(promoted.body).toMatchObject({
      status: 'BOOKED',
      session: { startsAt: expect.stringContaining('T23:15') },
    });
    const stale = await put(`/classes/${gymClass.id}`, { title: 'X' }, { 'If-Match': '"1"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'VERSION_CONFLICT']);
  });

  it('whose days are changed moves each session to the new day of its week, cancels the sessions of a day that is left out, and makes those of a new day', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=WEEKLY;BYDAY=MO,WE' });
    const isMonday = ({ startsAt }: Untyped) => new Date(startsAt).getUTCDay() === 1;
    const rest = { startsAt: gymClass.recurrence.startsAt };
    await put(`/classes/${gymClass.id}`, { recurrence: { ...rest, rrule: 'FREQ=WEEKLY;BYDAY=MO' } });
    const mondays = await sessionsOf(platform, staff, gymClass.id);
    for (const session of mondays) expect(session.status).toBe(isMonday(session) ? 'SCHEDULED' : 'CANCELLED');
    await put(`/classes/${gymClass.id}`, { recurrence: { ...rest, rrule: 'FREQ=WEEKLY;BYDAY=SA' } });
    const saturdays = (await sessionsOf(platform, staff, gymClass.id)).filter(
      ({ status }) => status === 'SCHEDULED',
    );
    expect(new Set(saturdays.map(({ startsAt }) => new Date(startsAt).getUTCDay()))).toEqual(new Set([6]));
    const kept = new Set(sessions.filter(isMonday).map(({ id }) => id));
    expect(saturdays.filter(({ id }) => kept.has(id)).length).toBeGreaterThanOrEqual(6);
    await put(`/classes/${gymClass.id}`, { recurrence: { ...rest, rrule: 'FREQ=WEEKLY;BYDAY=SA,SU' } });
    const weekends = (await sessionsOf(platform, staff, gymClass.id)).filter(
      ({ status }) => status === 'SCHEDULED',
    );
    const known = new Set([...sessions, ...mondays, ...saturdays].map(({ id }) => id));
    const made = weekends.filter(({ id }) => !known.has(id));
    const startOf = ({ id, startsAt }: Untyped) => [id, startsAt];
    expect(weekends.filter(({ id }) => known.has(id)).map(startOf)).toEqual(saturdays.map(startOf));
    expect(made.length).toBeGreaterThanOrEqual(7);
    expect(new Set(made.map(({ startsAt }) => new Date(startsAt).getUTCDay()))).toEqual(new Set([0]));
  });

  it('that is deleted cancels its coming sessions with their bookings, and is listed only for staff who ask for it', async () => {
    const { gymClass, session } = await newClass(platform, staff, { rrule: 'FREQ=DAILY' });
    const booking = await book(platform, member(0).token, session.id);
    const remove = () => platform.rest('gym', 'DELETE', `/classes/${gymClass.id}`, { token: staff });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(204);
    const left = await sessionsOf(platform, staff, gymClass.id);
    expect(new Set(left.map(({ status }) => status))).toEqual(new Set(['CANCELLED']));
    const { body } = await platform.rest('gym', 'GET', `/bookings/${booking.body.id}`, {
      token: member(0).token,
    });
    expect(body.status).toBe('CANCELLED');
    const list = (query: string, token: string) =>
      platform.rest('gym', 'GET', `/classes?limit=200${query}`, { token });
    const has = ({ body: classes }: Untyped) => classes.some(({ id }: { id: string }) => id === gymClass.id);
    expect(has(await list('', staff))).toBe(false);
    expect(has(await list('&active=false', staff))).toBe(true);
    expect((await list('&active=false', member(0).token)).status).toBe(403);
  });

  it('of first visits exists once at every location, whether the demo data, staff or the wizard have created the location', async () => {
    const locationId = await newLocation(platform, staff, { capacity: 7 });
    const wizard = await platform.serviceToken('wizard');
    const gymId = randomUUID();
    for (const [path, body] of [
      ['/gyms', { id: gymId, name: 'Made', slug: 'made' }],
      ['/locations', place({ id: randomUUID(), gymId })],
    ] as const)
      expect((await platform.rest('gym', 'POST', path, { token: wizard, body })).status).toBe(201);
    const counted = await platform.sql(
      'gym',
      `select location.gym_id as "gymId", count(gym_class.id)::int as classes
       from location left join gym_class on location_id = location.id and is_first_visit group by location.id`,
    );
    expect(new Set(counted.map((location) => location.gymId))).toEqual(
      new Set([...Object.values(DEMO_GYMS).map(({ id }) => id), gymId]),
    );
    expect(counted.filter(({ classes }) => classes !== 1)).toEqual([]);
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { gymClasses(locationId: $id) { nodes { title isFirstVisit capacity recurrence { rrule } } } }',
      { id: locationId },
      { token: member(0).token },
    );
    expect(data.gymClasses.nodes).toEqual([
      { title: 'First visit', isFirstVisit: true, capacity: 7, recurrence: null },
    ]);
  });
});

describe('the feature switch "classes"', () => {
  it('hides classes from members, not from staff', async () => {
    const superAdmin = await platform.demo('super@demo.test');
    const set = (classes: boolean) =>
      platform.rest('gym', 'PUT', '/gym/config', {
        token: superAdmin,
        body: { gymId: DEMO_GYMS.aquaClub.id, features: { classes } },
      });
    const zoe = await platform.demo('zoe@aqua.test');
    const list = (token: string) => platform.rest('gym', 'GET', '/classes', { token });
    await set(false);
    try {
      await eventually(async () => (await list(zoe)).body.code === 'FEATURE_DISABLED', 5_000);
      expect((await list(await platform.demo('admin@aqua.test'))).status).toBe(200);
    } finally {
      await set(true);
    }
    await eventually(async () => (await list(zoe)).status === 200, 5_000);
  });
});
