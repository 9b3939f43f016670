import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { book, cancel, mailsAbout, moveInTime, newClass } from './class-support.ts';
import { checkIn, heldSession, newLocation, newMember, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
let members: Member[];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  members = await Promise.all(Array.from({ length: 4 }, () => newMember(platform)));
});
afterAll(() => platform.stop());

const member = (index: number): Member => members[index] as Member;
const read = (path: string, token: string) => platform.rest('gym', 'GET', path, { token });

describe('a booking', () => {
  it('gets a place, or a position on the waiting list; a place that becomes free goes to the first of the list', async () => {
    const { session } = await newClass(platform, staff, { capacity: 1 });
    const first = await book(platform, member(0).token, session.id);
    const second = await book(platform, member(1).token, session.id);
    const third = await book(platform, member(2).token, session.id);
    expect([first, second, third].map(({ status, body }) => [status, body.status, body.position])).toEqual([
      [201, 'BOOKED', null],
      [201, 'WAITING', 1],
      [201, 'WAITING', 2],
    ]);
    const seen = await read(`/class-sessions/${session.id}`, member(2).token);
    expect(seen.body).toMatchObject({ booked: 1, waiting: 2, myBooking: { status: 'WAITING', position: 2 } });
    const cancelled = await cancel(platform, member(0).token, first.body.id);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
    expect((await read(`/bookings/${second.body.id}`, member(1).token)).body).toMatchObject({
      status: 'BOOKED',
      position: null,
      promotedAt: expect.any(String),
    });
    expect((await read(`/bookings/${third.body.id}`, member(2).token)).body).toMatchObject({ position: 1 });
    const again = await book(platform, member(0).token, session.id);
    expect(again.body).toMatchObject({ status: 'WAITING', position: 2 });
    expect((await read(`/class-sessions/${session.id}`, member(0).token)).body).toMatchObject({
      booked: 1,
      waiting: 2,
    });
  });

  it('can be made, listed and cancelled in the graph; a member cannot see who else has booked, staff can', async () => {
    const { session } = await newClass(platform, staff, { capacity: 1 });
    const booked = await platform.graph(
      'gym',
      `mutation ($input: BookClassSessionInput!) { bookClassSession(input: $input) {
        id status position user { id } session { id booked class { title } myBooking { status } } } }`,
      { input: { sessionId: session.id } },
      { token: member(0).token },
    );
    expect(booked.errors).toBeUndefined();
    expect(booked.data.bookClassSession).toMatchObject({
      status: 'BOOKED',
      user: { id: member(0).id },
      session: { id: session.id, booked: 1, myBooking: { status: 'BOOKED' } },
    });
    const query = `query ($id: ID!) { classSession(id: $id) { bookings { nodes { userId status } } } }`;
    const list = await platform.graph('gym', query, { id: session.id }, { token: staff });
    expect(list.data.classSession.bookings.nodes).toEqual([{ userId: member(0).id, status: 'BOOKED' }]);
    const hidden = await platform.graph('gym', query, { id: session.id }, { token: member(1).token });
    expect(hidden.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    const own = await platform.graph(
      'gym',
      '{ bookings(first: 1) { nodes { id } } }',
      {},
      { token: member(0).token },
    );
    expect(own.data.bookings.nodes).toHaveLength(1);
    const ended = await platform.graph(
      'gym',
      'mutation ($id: ID!) { cancelBooking(id: $id) { status } }',
      { id: booked.data.bookClassSession.id },
      { token: member(0).token },
    );
    expect(ended.data.cancelBooking).toEqual({ status: 'CANCELLED' });
  });

  it('is refused a second time, by a member for another one, in another gym, without a membership, and once the session has begun or is cancelled', async () => {
    const { session } = await newClass(platform, staff);
    expect((await book(platform, member(0).token, session.id)).status).toBe(201);
    const twice = await book(platform, member(0).token, session.id);
    expect([twice.status, twice.body.code]).toEqual([409, 'CONFLICT']);
    const forOther = await book(platform, member(0).token, session.id, { userId: member(1).id });
    expect([forOther.status, forOther.body.code]).toEqual([403, 'FORBIDDEN']);
    const zoe = await platform.demo('zoe@aqua.test');
    expect((await book(platform, zoe, session.id)).status).toBe(404);
    const stranger = await platform.register(null);
    const noMember = await book(platform, staff, session.id, { userId: stranger.id });
    expect([noMember.status, noMember.body.code]).toEqual([403, 'MEMBERSHIP_INACTIVE']);
    expect((await book(platform, staff, session.id, { userId: member(1).id })).body.userId).toBe(
      member(1).id,
    );
    await moveInTime(platform, session.id, -1);
    const late = await book(platform, member(2).token, session.id);
    expect([late.status, late.body.code]).toEqual([409, 'SESSION_CLOSED']);
    const { session: other } = await newClass(platform, staff);
    await platform.rest('gym', 'PUT', `/class-sessions/${other.id}`, {
      token: staff,
      body: { status: 'CANCELLED' },
    });
    expect((await book(platform, member(2).token, other.id)).body.code).toBe('SESSION_CLOSED');
  });

  it('that was cancelled too late is not recorded as attended if the member has booked the session again', async () => {
    const { session } = await newClass(platform, staff, {
      capacity: 2,
      inHours: 1,
      cancelBeforeMinutes: 120,
    });
    const first = await book(platform, member(0).token, session.id);
    expect((await cancel(platform, member(0).token, first.body.id)).body.status).toBe('NO_SHOW');
    expect((await book(platform, member(0).token, session.id)).status).toBe(201);
    const { status, body } = await platform.rest('gym', 'PUT', `/bookings/${first.body.id}`, {
      token: staff,
      body: { status: 'ATTENDED' },
    });
    expect([status, body.code]).toEqual([409, 'CONFLICT']);
    expect((await read(`/class-sessions/${session.id}`, staff)).body).toMatchObject({ booked: 1 });
  });

  it('that is cancelled too late is a NO_SHOW at once, and its place still goes to the first of the waiting list', async () => {
    const { session } = await newClass(platform, staff, {
      capacity: 1,
      inHours: 1,
      cancelBeforeMinutes: 120,
    });
    const first = await book(platform, member(0).token, session.id);
    const second = await book(platform, member(1).token, session.id);
    expect((await cancel(platform, member(1).token, second.body.id)).body.status).toBe('CANCELLED'); // from the waiting list
    const third = await book(platform, member(2).token, session.id);
    expect((await cancel(platform, member(0).token, first.body.id)).body.status).toBe('NO_SHOW');
    expect((await read(`/bookings/${third.body.id}`, member(2).token)).body.status).toBe('BOOKED');
    const attended = (id: string, status: string) =>
      platform.rest('gym', 'PUT', `/bookings/${id}`, { token: staff, body: { status } });
    expect((await attended(first.body.id, 'ATTENDED')).body.code).toBe('CONFLICT'); // the place belongs to another member
    expect((await attended(third.body.id, 'ATTENDED')).body.status).toBe('ATTENDED');
  });

  it('is ended with a mail if staff cancel the session, and the mail of a promotion names the class and its time', async () => {
    const { gymClass, session } = await newClass(platform, staff, { capacity: 1 });
    const first = await book(platform, member(0).token, session.id);
    await book(platform, member(3).token, session.id);
    await cancel(platform, member(0).token, first.body.id);
    const sent = await eventually(async () => (await mailsAbout(platform, gymClass.title)).promotions[0]);
    expect(sent).toContain(`at ${session.startsAt.slice(11, 16)} (UTC)`);
    await platform.rest('gym', 'PUT', `/class-sessions/${session.id}`, {
      token: staff,
      body: { status: 'CANCELLED' },
    });
    await eventually(async () => (await mailsAbout(platform, gymClass.title)).cancellations[0]);
  });
});

describe('attendance', () => {
  it('is recorded by a check-in at the location from 60 minutes before the start, and not before', async () => {
    const locationId = await newLocation(platform, staff, { capacity: 50, timezone: 'UTC' });
    const { session } = await newClass(platform, staff, { locationId, inHours: 2 });
    const booking = await book(platform, member(0).token, session.id);
    const enter = () => checkIn(platform, member(0).token, { qrCode: member(0).qrCode, locationId });
    await enter();
    expect((await read(`/bookings/${booking.body.id}`, member(0).token)).body.status).toBe('BOOKED');
    await platform.rest('gym', 'POST', '/locations/check-out', { token: member(0).token, body: {} });
    await moveInTime(platform, session.id, 50);
    // The earlier visit is not attendance: it began more than 60 minutes before the start, and is over.
    await platform.sql(
      'gym',
      "update check_in set checked_in_at = checked_in_at - interval '1 hour' where location_id = $1",
      [locationId],
    );
    expect((await enter()).status).toBe(201);
    await eventually(
      async () => (await read(`/bookings/${booking.body.id}`, member(0).token)).body.status === 'ATTENDED',
    );
  });

  it('is recorded at the start for members who are inside; at the end the other bookings are NO_SHOW, and those of the waiting list CANCELLED', async () => {
    const locationId = await newLocation(platform, staff, { capacity: 50, timezone: 'UTC' });
    const { session } = await newClass(platform, staff, { locationId, inHours: 5, capacity: 2 });
    const bookings: string[] = [];
    for (const index of [0, 1, 2])
      bookings.push((await book(platform, member(index).token, session.id)).body.id);
    await checkIn(platform, member(0).token, { qrCode: member(0).qrCode, locationId });
    await platform.sql(
      'gym',
      "update check_in set checked_in_at = now() - interval '80 minutes' where location_id = $1",
      [locationId],
    );
    await moveInTime(platform, session.id, -5);
    await runScheduled(platform, 'gym', 'finish_class_sessions');
    const statuses = () =>
      Promise.all(bookings.map(async (id) => (await read(`/bookings/${id}`, staff)).body.status as string));
    const become = (...expected: string[]) =>
      eventually(async () => (await statuses()).join() === expected.join());
    await become('ATTENDED', 'BOOKED', 'WAITING');
    await moveInTime(platform, session.id, -61);
    expect((await read(`/class-sessions/${session.id}`, staff)).body.status).toBe('DONE'); // before the job has run
    await runScheduled(platform, 'gym', 'finish_class_sessions');
    await become('ATTENDED', 'NO_SHOW', 'CANCELLED');
    expect((await cancel(platform, member(1).token, bookings[1] as string)).body.code).toBe('SESSION_CLOSED');
  });

  describe('of a visit that is undone', () => {
    const undo = (visitId: string) =>
      platform.rest('gym', 'DELETE', `/check-ins/${visitId}`, { token: staff });
    const statusOf = async (id: string) => (await read(`/bookings/${id}`, staff)).body.status as string;
    const enter = async (locationId: string): Promise<string> =>
      (await checkIn(platform, member(0).token, { qrCode: member(0).qrCode, locationId })).body.id;
    const leave = () =>
      platform.rest('gym', 'POST', '/locations/check-out', { token: member(0).token, body: {} });

    /** A session that begins in half an hour with one place, which member 0 has booked and a visit has made ATTENDED. */
    async function attended() {
      await leave();
      const locationId = await newLocation(platform, staff, { capacity: 50, timezone: 'UTC' });
      const { session } = await newClass(platform, staff, {
        locationId,
        capacity: 1,
        cancelBeforeMinutes: 0,
      });
      const booking: string = (await book(platform, member(0).token, session.id)).body.id;
      const waiting: string = (await book(platform, member(1).token, session.id)).body.id;
      await moveInTime(platform, session.id, 30);
      const visit = await enter(locationId);
      await eventually(async () => (await statusOf(booking)) === 'ATTENDED');
      return { locationId, session, booking, waiting, visit };
    }

    it('is withdrawn: the member can cancel, and the place goes to the waiting list', async () => {
      const { session, booking, waiting, visit } = await attended();
      expect((await undo(visit)).status).toBe(204);
      expect(await statusOf(booking)).toBe('BOOKED');
      expect((await read(`/class-sessions/${session.id}`, staff)).body).toMatchObject({
        booked: 1,
        waiting: 1,
      });
      const cancelled = await cancel(platform, member(0).token, booking);
      expect([cancelled.status, cancelled.body.status]).toEqual([200, 'CANCELLED']);
      expect(await statusOf(waiting)).toBe('BOOKED');
      const events = await platform.sql<{ status: string }>(
        'gym',
        `select data->>'status' as status from (select data, id from event union all select data, id from event_outbox) as all_events
         where data->>'id' = $1 order by id`,
        [booking],
      );
      expect(events.map(({ status }) => status)).toEqual(['BOOKED', 'ATTENDED', 'BOOKED', 'CANCELLED']);
    });

    it('becomes NO_SHOW if the session is over', async () => {
      const { session, booking, visit } = await attended();
      await moveInTime(platform, session.id, -61);
      await runScheduled(platform, 'gym', 'finish_class_sessions');
      await eventually(
        async () =>
          (
            await platform.sql<{ status: string }>('gym', 'select status from class_session where id = $1', [
              session.id,
            ])
          )[0]?.status === 'DONE',
      );
      expect(await statusOf(booking)).toBe('ATTENDED');
      // The visit began within the hour before the session.
      await platform.sql(
        'gym',
        "update check_in set checked_in_at = now() - interval '90 minutes' where id = $1",
        [visit],
      );
      expect((await undo(visit)).status).toBe(204);
      expect(await statusOf(booking)).toBe('NO_SHOW');
      expect((await read(`/class-sessions/${session.id}`, staff)).body).toMatchObject({ booked: 1 });
    });

    it('stays if another visit belongs to the session, until that one is undone, too', async () => {
      const { locationId, booking, visit } = await attended();
      await leave();
      const second = await enter(locationId);
      await undo(visit);
      expect(await statusOf(booking)).toBe('ATTENDED');
      await undo(second);
      expect(await statusOf(booking)).toBe('BOOKED');
    });

    it('stays if staff have recorded it, also after the visit', async () => {
      const { booking, visit } = await attended();
      const put = await platform.rest('gym', 'PUT', `/bookings/${booking}`, {
        token: staff,
        body: { status: 'ATTENDED' },
      });
      expect(put.body.status).toBe('ATTENDED');
      await undo(visit);
      expect(await statusOf(booking)).toBe('ATTENDED');
    });

    it('is not recorded by a job that has found the visit before it was undone', async () => {
      await leave();
      const locationId = await newLocation(platform, staff, { capacity: 50, timezone: 'UTC' });
      const { session } = await newClass(platform, staff, { locationId });
      const booking: string = (await book(platform, member(0).token, session.id)).body.id;
      await moveInTime(platform, session.id, 30);
      const held = await heldSession(platform, session.id);
      const visit = await enter(locationId);
      await eventually(async () => (await held.waiting()) === 1); // the job waits for the session
      let isUndone = false;
      const undone = undo(visit).then((answer) => {
        isUndone = true;
        return answer.status;
      });
      await eventually(async () => isUndone || (await held.waiting()) === 2);
      await held.release();
      expect(await undone).toBe(204);
      await eventually(
        async () =>
          (
            await platform.sql(
              'gym',
              "select 1 from graphile_worker.jobs where task_identifier = 'mark_attendance'",
            )
          ).length === 0,
      );
      expect(await statusOf(booking)).toBe('BOOKED');
    });
  });
});
