import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';
import { book, localIn, newClass, sessionsOf } from './class-support.ts';
import { newLocation, newMember, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
let members: Member[];
const open: Subscription[] = [];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(Array.from({ length: 3 }, () => newMember(platform)));
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
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

  it('changes its sessions that nobody has edited, with their ids and bookings; a capacity below the booked places is refused', async () => {
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
    expect(after.map(({ id }) => id).toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
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

  it('moves each session to the new day of its week, cancels those without one, and makes the new ones', async () => {
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
  });

  it('that is deleted cancels its coming sessions with their bookings, and is listed for staff only', async () => {
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

  it('of first visits exists at every location', async () => {
    const locationId = await newLocation(platform, staff, { capacity: 7 });
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

describe('a session', () => {
  it('is changed alone, or with all that follow, also those that are made later', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=WEEKLY' });
    const [first, second, third, fourth] = sessions;
    const moved = new Date(Date.parse(second.startsAt) + 3_600_000).toISOString();
    expect((await put(`/class-sessions/${second.id}`, { startsAt: moved })).body).toMatchObject({
      startsAt: moved,
      version: 2,
    });
    const from = new Date(Date.parse(third.startsAt) + 7_200_000).toISOString();
    await put(`/class-sessions/${third.id}`, { startsAt: from, capacity: 5, scope: 'FOLLOWING' });
    const after = await sessionsOf(platform, staff, gymClass.id);
    expect(after.slice(0, 2).map(({ startsAt, capacity }) => [startsAt, capacity])).toEqual([
      [first.startsAt, 2],
      [moved, 2],
    ]);
    expect(after[3]).toMatchObject({
      id: fourth.id,
      startsAt: new Date(Date.parse(fourth.startsAt) + 7_200_000).toISOString(),
      capacity: 5,
    });
    // The job makes the sessions of later weeks with the same change.
    await platform.sql('gym', 'delete from class_session where id = $1', [sessions.at(-1).id]);
    await platform.sql('gym', 'update gym_class set made_until = now() where id = $1', [gymClass.id]);
    await runScheduled(platform, 'gym', 'make_class_sessions');
    const remade = await eventually(async () => {
      const all = await sessionsOf(platform, staff, gymClass.id);
      return all.length === sessions.length && all.at(-1);
    });
    expect(remade).toMatchObject({
      startsAt: new Date(Date.parse(sessions.at(-1).startsAt) + 7_200_000).toISOString(),
      capacity: 5,
    });
    expect((await sessionsOf(platform, staff, gymClass.id)).slice(0, 4)).toEqual(after.slice(0, 4));
  });

  it('is listed by local days of its location, and by pages', async () => {
    const locationId = await newLocation(platform, staff, { timezone: 'Pacific/Auckland', capacity: 20 });
    const { sessions } = await newClass(platform, staff, {
      locationId,
      recurrence: { startsAt: '2030-01-01T00:00', rrule: null },
    });
    expect(sessions).toEqual([]); // too far ahead
    const { gymClass } = await newClass(platform, staff, {
      locationId,
      recurrence: { startsAt: `${localIn(48).slice(0, 10)}T23:30`, rrule: 'FREQ=DAILY;COUNT=6' },
    });
    const day = localIn(72).slice(0, 10);
    const list = (query: string) =>
      platform.rest('gym', 'GET', `/class-sessions?classId=${gymClass.id}&${query}`, {
        token: member(0).token,
      });
    const { body } = await list(`from=${day}&to=${day}`);
    expect(body).toHaveLength(1);
    const pages: string[] = [];
    let cursor = '';
    do {
      const { body: page, headers } = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.map(({ id }: { id: string }) => id));
      cursor = /cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1] ?? '';
    } while (cursor);
    expect(new Set(pages).size).toBe(6);
    expect((await list('from=2026-01-01&to=2025-01-01')).status).toBe(400);
    expect((await list('from=soon')).status).toBe(400);
  });

  it('is sent to subscribers at each change within a second, without the own booking', async () => {
    const { gymClass, session } = await newClass(platform, staff, { capacity: 1 });
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { classSessionChanged(locationId: $id) { id booked waiting status myBooking { id } class { title } } }',
      { id: gymClass.locationId },
      member(0).token,
    );
    open.push(events);
    const next = events.next();
    await new Promise((resolve) => setTimeout(resolve, 300)); // the subscription has no first event that shows that it is open
    const begunAt = performance.now();
    await book(platform, member(0).token, session.id);
    expect((await next).data).toEqual({
      classSessionChanged: {
        id: session.id,
        booked: 1,
        waiting: 0,
        status: 'SCHEDULED',
        myBooking: null,
        class: { title: gymClass.title },
      },
    });
    expect(performance.now() - begunAt).toBeLessThan(1_000);
    await put(`/class-sessions/${session.id}`, { status: 'CANCELLED' });
    expect((await events.next()).data).toMatchObject({
      classSessionChanged: { booked: 0, status: 'CANCELLED' },
    });
    const zoe = await platform.demo('zoe@aqua.test');
    const foreign = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { classSessionChanged(locationId: $id) { id } }',
      { id: gymClass.locationId },
      zoe,
    );
    open.push(foreign);
    expect((await foreign.next()).errors?.[0]?.extensions?.code).toBe('NOT_FOUND');
  });

  it('and its bookings are in the feed of events, as their GET returns them', async () => {
    const { session } = await newClass(platform, staff);
    const latest = await platform.rest('gym', 'GET', '/events?after=latest', { token: staff });
    const { body: booking } = await book(platform, member(0).token, session.id);
    const { body } = await platform.rest(
      'gym',
      'GET',
      `/events?after=${latest.body.next}&types=class_session.changed,booking.changed&wait=5`,
      { token: staff },
    );
    const own = body.events.filter(
      ({ subject }: { subject: string }) => subject.includes(booking.id) || subject.includes(session.id),
    );
    expect(own.map(({ type, subject }: Untyped) => [type, subject])).toEqual([
      ['booking.changed', `booking/${booking.id}`],
      ['class_session.changed', `class-session/${session.id}`],
    ]);
    expect(own[0].data).toEqual(booking);
    expect(own[1].data).toMatchObject({ booked: 1, myBooking: null });
  });
});

describe('the module switch "classes"', () => {
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
