import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';
import { book, localIn, mailsAbout, newClass, sessionsOf } from './class-support.ts';
import { newLocation, newMember, type Member } from './support.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

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

/**
 * The next event with these fields. Earlier events report the changes that were made until the subscription was open.
 */
async function nextWith(events: Subscription, fields: Record<string, unknown>): Promise<Untyped> {
  for (;;) {
    const { data } = await events.next();
    const session = data.classSessionChanged;
    if (Object.entries(fields).every(([name, value]) => session[name] === value)) return data;
  }
}

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

  it('is followed by the sessions that come later by the rule of the class, also if it was moved past them', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=DAILY;COUNT=4' });
    const [first, second, third, fourth] = sessions;
    const afterFourth = new Date(Date.parse(fourth.startsAt) + 3_600_000).toISOString();
    await put(`/class-sessions/${first.id}`, { startsAt: afterFourth });
    await put(`/class-sessions/${second.id}`, {
      startsAt: new Date(Date.parse(fourth.startsAt) + 7_200_000).toISOString(),
    });
    await put(`/class-sessions/${second.id}`, { capacity: 7, scope: 'FOLLOWING' });
    const all = await sessionsOf(platform, staff, gymClass.id);
    const capacities = new Map(all.map(({ id, capacity }) => [id, capacity]));
    expect([first, second, third, fourth].map(({ id }) => capacities.get(id))).toEqual([2, 7, 7, 7]);
  });

  it('takes place again by a new rule after it was cancelled with all that follow, but not if it was cancelled alone', async () => {
    const { gymClass, sessions } = await newClass(platform, staff, { rrule: 'FREQ=WEEKLY' });
    const cancel = (id: string, scope: string) =>
      put(`/class-sessions/${id}`, { status: 'CANCELLED', scope });
    expect((await cancel(sessions[1].id, 'THIS')).status).toBe(200);
    expect((await cancel(sessions[2].id, 'FOLLOWING')).status).toBe(200);
    const scheduled = async () =>
      (await sessionsOf(platform, staff, gymClass.id)).filter(({ status }) => status === 'SCHEDULED');
    expect(await scheduled()).toHaveLength(1);
    const recurrence = { startsAt: gymClass.recurrence.startsAt, rrule: 'FREQ=WEEKLY' };
    expect((await put(`/classes/${gymClass.id}`, { recurrence })).status).toBe(200);
    const starts = (await scheduled()).map(({ startsAt }) => startsAt);
    expect(starts).toEqual(sessions.filter((_one, index) => index !== 1).map(({ startsAt }) => startsAt));
  });

  it('is announced by a mail each time it is moved, also back to an earlier time', async () => {
    const { gymClass, session } = await newClass(platform, staff, { inHours: 48 });
    await book(platform, member(0).token, session.id);
    const later = new Date(Date.parse(session.startsAt) + 3_600_000).toISOString();
    for (const [index, startsAt] of [later, session.startsAt, later].entries()) {
      expect((await put(`/class-sessions/${session.id}`, { startsAt })).status).toBe(200);
      await eventually(async () => (await mailsAbout(platform, gymClass.title)).moves.length === index + 1);
    }
  });

  it('never moves into the past by a change of its class, when a new time zone has made its planned start past', async () => {
    const locationId = await newLocation(platform, staff, { timezone: 'Pacific/Honolulu', capacity: 20 });
    const local = new Date(Date.now() + 7_200_000).toLocaleString('sv', { timeZone: 'Pacific/Honolulu' });
    const { gymClass, session } = await newClass(platform, staff, {
      locationId,
      recurrence: { startsAt: local.slice(0, 16).replace(' ', 'T'), rrule: null },
    });
    const { body: booking } = await book(platform, member(0).token, session.id);
    expect((await put(`/locations/${locationId}`, { timezone: 'Europe/Berlin' })).status).toBe(200);
    expect((await put(`/classes/${gymClass.id}`, { instructor: 'Ada' })).status).toBe(200);
    const [after] = await sessionsOf(platform, staff, gymClass.id);
    expect(after).toMatchObject({ startsAt: session.startsAt, endsAt: session.endsAt, instructor: 'Ada' });
    const bookings = await platform.rest('gym', 'GET', '/bookings', { token: member(0).token });
    expect(bookings.body).toContainEqual(expect.objectContaining({ id: booking.id, status: 'BOOKED' }));
  });

  it('keeps its local time if its location moves to another time zone, unless it was edited alone', async () => {
    const locationId = await newLocation(platform, staff, { timezone: 'Europe/Berlin', capacity: 20 });
    const { gymClass, sessions } = await newClass(platform, staff, {
      locationId,
      recurrence: { startsAt: `${localIn(72).slice(0, 10)}T06:30`, rrule: 'FREQ=DAILY;COUNT=3' },
    });
    const [first, second, third] = sessions;
    const { body: booking } = await book(platform, member(0).token, first.id);
    const edited = new Date(Date.parse(second.startsAt) + 3_600_000).toISOString();
    await put(`/class-sessions/${second.id}`, { startsAt: edited });
    expect((await put(`/locations/${locationId}`, { timezone: 'America/New_York' })).status).toBe(200);
    const local = (instant: string) =>
      new Intl.DateTimeFormat('sv', {
        timeZone: 'America/New_York',
        dateStyle: 'short',
        timeStyle: 'short',
      }).format(new Date(instant));
    const day = (hours: number) => localIn(hours).slice(0, 10);
    const after = await sessionsOf(platform, staff, gymClass.id);
    expect(after.map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
    expect(after[1].startsAt).toBe(edited);
    expect([after[0], after[2]].map(({ startsAt }) => local(startsAt))).toEqual([
      `${day(72)} 06:30`,
      `${day(120)} 06:30`,
    ]);
    expect(after[0]).toMatchObject({ booked: 1, version: 2 });
    const bookings = await platform.rest('gym', 'GET', '/bookings', { token: member(0).token });
    expect(bookings.body).toContainEqual(
      expect.objectContaining({
        id: booking.id,
        status: 'BOOKED',
        session: expect.objectContaining({ startsAt: after[0].startsAt }),
      }),
    );
    // The booking stores the start, too, which decides the order of lists and whether the booking is still to come.
    const [stored] = await platform.sql('gym', 'select starts_at from booking where id = $1', [booking.id]);
    expect(stored.starts_at.toISOString()).toBe(after[0].startsAt);
    const mail = await eventually(async () => (await mailsAbout(platform, gymClass.title)).moves[0]);
    expect(mail).toContain('06:30 (America/New_York)');
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

  it('is sent to subscribers within a second of a change, without their own booking, and also after a lost connection', async () => {
    const { gymClass, session } = await newClass(platform, staff, { capacity: 1 });
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { classSessionChanged(locationId: $id) { id booked waiting status myBooking { id } class { title } } }',
      { id: gymClass.locationId },
      member(0).token,
    );
    open.push(events);
    const next = events.next();
    // The subscription has no first event, so changes are made until one arrives.
    const isOpen = next.then(() => true);
    await eventually(async () => {
      await put(`/class-sessions/${session.id}`, { instructor: randomUUID() });
      return Promise.race([isOpen, Promise.resolve(false)]);
    });
    const begunAt = performance.now();
    await book(platform, member(0).token, session.id);
    const booked = await nextWith(events, { booked: 1, status: 'SCHEDULED' });
    expect(booked).toEqual({
      classSessionChanged: {
        id: session.id,
        booked: 1,
        waiting: 0,
        status: 'SCHEDULED',
        myBooking: null,
        class: { title: gymClass.title },
      },
    });
    expect(performance.now() - begunAt).toBeLessThan(withinOnThisMachine(1_000));
    await put(`/class-sessions/${session.id}`, { status: 'CANCELLED' });
    await nextWith(events, { booked: 0, status: 'CANCELLED' });
    // This has the effect of a change whose notification was lost, because the service had no connection for it.
    await platform.sql('gym', 'update class_session set waiting = 7, changed_at = now() where id = $1', [
      session.id,
    ]);
    await platform.sql(
      'gym',
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = current_database() || ' notifications'",
    );
    await nextWith(events, { waiting: 7 });
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
