import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { book, cancel, mailsAbout, moveInTime, newClass } from './class-support.ts';
import { newMember, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
let member: Member;
let other: Member;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  [member, other] = [await newMember(platform), await newMember(platform)];
});
afterAll(() => platform.stop());

const attendance = async (id: string, status: string) => {
  const answer = await platform.rest('gym', 'PUT', `/bookings/${id}`, { token: staff, body: { status } });
  return answer.status === 200 ? (answer.body.status as string) : `${answer.status} ${answer.body.code}`;
};
const statusOf = async (id: string): Promise<string> =>
  (await platform.rest('gym', 'GET', `/bookings/${id}`, { token: staff })).body.status;
const sessionOf = async (id: string) =>
  (await platform.rest('gym', 'GET', `/class-sessions/${id}`, { token: staff })).body;
const cancelSession = (id: string) =>
  platform.rest('gym', 'PUT', `/class-sessions/${id}`, { token: staff, body: { status: 'CANCELLED' } });
const booked = async (sessionId: string, { token } = member): Promise<string> =>
  (await book(platform, token, sessionId)).body.id;

describe('staff', () => {
  it.each(['ATTENDED', 'NO_SHOW'])(
    'record attendance as %s from 60 minutes before the start, and not before; other members can still cancel',
    async (status) => {
      const { session } = await newClass(platform, staff, { inHours: 96 });
      const id = await booked(session.id);
      await moveInTime(platform, session.id, 62);
      expect(await attendance(id, status)).toBe('409 CONFLICT');
      expect(await statusOf(id)).toBe('BOOKED');
      await moveInTime(platform, session.id, 58);
      expect(await attendance(id, status)).toBe(status);
      const second = await booked(session.id, other);
      expect((await cancel(platform, other.token, second)).status).toBe(200);
    },
  );

  it('cannot record attendance for a cancelled session', async () => {
    const { session } = await newClass(platform, staff);
    const id = await booked(session.id);
    await moveInTime(platform, session.id, 30);
    await platform.sql('gym', "update class_session set status = 'CANCELLED' where id = $1", [session.id]);
    for (const status of ['ATTENDED', 'NO_SHOW', 'BOOKED'])
      expect(await attendance(id, status)).toBe('409 CONFLICT');
  });

  it('can record attendance after the end of the session, too', async () => {
    const { session } = await newClass(platform, staff);
    const id = await booked(session.id);
    await moveInTime(platform, session.id, -90);
    await runScheduled(platform, 'gym', 'finish_class_sessions');
    await eventually(async () => (await statusOf(id)) === 'NO_SHOW');
    expect(await attendance(id, 'ATTENDED')).toBe('ATTENDED');
    expect(await attendance(id, 'BOOKED')).toBe('409 CONFLICT'); // it is either attended or not
  });

  it.each(['ATTENDED', 'NO_SHOW'])(
    'can take %s back until the end: the member can cancel again',
    async (status) => {
      const { session } = await newClass(platform, staff, { cancelBeforeMinutes: 0 });
      const id = await booked(session.id);
      await moveInTime(platform, session.id, 30);
      expect(await attendance(id, status)).toBe(status);
      const viaGraph = await platform.graph(
        'gym',
        'mutation ($id: ID!) { setAttendance(input: { bookingId: $id, status: BOOKED }) { status } }',
        { id },
        { token: staff },
      );
      expect(viaGraph.data?.setAttendance).toEqual({ status: 'BOOKED' });
      expect(await sessionOf(session.id)).toMatchObject({ booked: 1 });
      expect((await cancel(platform, member.token, id)).body.status).toBe('CANCELLED');
      expect(await sessionOf(session.id)).toMatchObject({ booked: 0 });
    },
  );

  it('can give a booking that was cancelled too late its place back, if one is free', async () => {
    const { session } = await newClass(platform, staff, {
      capacity: 1,
      inHours: 1,
      cancelBeforeMinutes: 120,
    });
    const id = await booked(session.id);
    expect((await cancel(platform, member.token, id)).body.status).toBe('NO_SHOW');
    const second = await booked(session.id, other);
    expect(await attendance(id, 'BOOKED')).toBe('409 CONFLICT');
    expect((await cancel(platform, other.token, second)).body.status).toBe('NO_SHOW');
    expect(await attendance(id, 'BOOKED')).toBe('BOOKED');
    expect(await sessionOf(session.id)).toMatchObject({ booked: 1 });
  });
});

describe('a member who cancelled too late, and came', () => {
  it('is recorded as ATTENDED after the end of the session, although its places are taken', async () => {
    const { session } = await newClass(platform, staff, {
      capacity: 1,
      inHours: 1,
      cancelBeforeMinutes: 120,
    });
    const id = await booked(session.id);
    expect((await cancel(platform, member.token, id)).body.status).toBe('NO_SHOW');
    await booked(session.id, other);
    await moveInTime(platform, session.id, -30);
    expect(await attendance(id, 'ATTENDED')).toBe('409 CONFLICT'); // staff can still raise the capacity
    await moveInTime(platform, session.id, -90);
    expect(await attendance(id, 'ATTENDED')).toBe('ATTENDED');
    expect(await sessionOf(session.id)).toMatchObject({ booked: 1, capacity: 1 });
    expect(await attendance(id, 'NO_SHOW')).toBe('NO_SHOW');
    expect(await attendance(id, 'ATTENDED')).toBe('ATTENDED');
    await runScheduled(platform, 'gym', 'finish_class_sessions');
    await eventually(async () => (await sessionOf(session.id)).status === 'DONE');
    expect(await statusOf(id)).toBe('ATTENDED');
  });
});

describe('if staff cancel a session', () => {
  it('bookings with a recorded attendance are cancelled with a mail, too, and no place is taken', async () => {
    const { gymClass, session } = await newClass(platform, staff);
    const ids = [await booked(session.id), await booked(session.id, other)] as const;
    await moveInTime(platform, session.id, 30);
    expect(await attendance(ids[0], 'ATTENDED')).toBe('ATTENDED');
    expect(await attendance(ids[1], 'NO_SHOW')).toBe('NO_SHOW');
    expect((await cancelSession(session.id)).status).toBe(200);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await sessionOf(session.id)).toMatchObject({ status: 'CANCELLED', booked: 0 });
    await eventually(async () => (await mailsAbout(platform, gymClass.title)).cancellations.length === 2);
  });

  it('a booking that was cancelled too late is no longer a NO_SHOW, and its member gets no mail', async () => {
    const { gymClass, session } = await newClass(platform, staff, { inHours: 1, cancelBeforeMinutes: 120 });
    const id = await booked(session.id);
    await booked(session.id, other);
    const late = (await cancel(platform, member.token, id)).body;
    expect((await cancelSession(session.id)).status).toBe(200);
    const { body } = await platform.rest('gym', 'GET', `/bookings/${id}`, { token: member.token });
    expect(body).toMatchObject({ status: 'CANCELLED', cancelledAt: late.cancelledAt });
    await eventually(async () => (await mailsAbout(platform, gymClass.title)).cancellations[0]);
    const jobs = await platform.sql(
      'gym',
      "select 1 from graphile_worker._private_jobs where payload->>'bookingId' = $1",
      [id],
    );
    expect(jobs).toEqual([]);
    expect((await mailsAbout(platform, gymClass.title)).cancellations).toHaveLength(1);
  });

  it('is ATTENDED once, if they booked and cancelled twice', async () => {
    const { session } = await newClass(platform, staff, {
      capacity: 1,
      inHours: 1,
      cancelBeforeMinutes: 120,
    });
    const ids = [];
    for (let time = 1; time <= 2; time += 1) {
      const id = await booked(session.id);
      expect((await cancel(platform, member.token, id)).body.status).toBe('NO_SHOW');
      ids.push(id);
    }
    await booked(session.id, other);
    await moveInTime(platform, session.id, -90);
    const [first = '', second = ''] = ids;
    expect(await attendance(first, 'ATTENDED')).toBe('ATTENDED');
    expect(await attendance(second, 'ATTENDED')).toBe('409 CONFLICT');
  });
});
