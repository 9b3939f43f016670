import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { book, cancel, moveInTime, newClass } from './class-support.ts';
import { checkIn, newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const gymId = DEMO_GYMS.ironTemple.id;
const audit = (query: string, token = staff) => platform.rest('gym', 'GET', `/audit?${query}`, { token });

describe('the audit trail of a gym', () => {
  it('names who undid a check-in, whose check-in it was and when, by REST and in the graph', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const { body: visit } = await checkIn(platform, staff, { qrCode: maya.qrCode, locationId: hall });
    await platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token: staff });
    const { id: admin } = (await platform.rest('identity', 'GET', '/users/me', { token: staff })).body;
    const expected = {
      id: expect.any(String),
      at: expect.any(String),
      action: 'CHECK_IN_UNDONE',
      actor: `user:${admin}`,
      subjectId: maya.id,
      details: { checkInId: visit.id, userId: maya.id },
    };
    const { status, body } = await audit('action=CHECK_IN_UNDONE');
    expect([status, body]).toEqual([200, [expected]]);
    const { data } = await platform.graph(
      'gym',
      'query ($gymId: ID) { gymAudit(gymId: $gymId, action: "CHECK_IN_UNDONE", first: 1) { nodes { id at action actor subjectId details } } }',
      { gymId },
      { token: superAdmin },
    );
    expect(data.gymAudit.nodes).toEqual([expected]);
  });

  it('is paged, newest first, and can be limited to a range', async () => {
    for (let made = 0; made < 3; made += 1) {
      const hall = await newLocation(platform, staff);
      await platform.rest('gym', 'DELETE', `/locations/${hall}`, { token: staff });
    }
    const all = (await audit('action=LOCATION_CLOSED')).body as { id: string; at: string }[];
    expect(all.length).toBe(3);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    const { body: first, headers } = await audit('action=LOCATION_CLOSED&limit=2');
    const next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const { body: second } = await platform.rest('gym', 'GET', next, { token: staff });
    expect([...first, ...second]).toEqual(all);
    const [newest, middle] = all;
    expect((await audit(`action=LOCATION_CLOSED&from=${newest?.at}`)).body).toMatchObject([
      { id: all[0]?.id },
    ]);
    expect((await audit(`action=LOCATION_CLOSED&to=${middle?.at}`)).body).toMatchObject([{ id: all[2]?.id }]);
    expect((await audit('from=2020-01-01&to=2020-12-31')).body).toEqual([]);
    expect((await audit('to=2099-12-31')).body.length).toBeGreaterThanOrEqual(3);
  });

  it('names what staff do with locations, classes, sessions and the bookings of members', async () => {
    const since = new Date().toISOString();
    const [member, other] = [await newMember(platform), await newMember(platform)];
    const call = (method: string, path: string, token: string, body?: object) =>
      platform.rest('gym', method, path, { token, ...(body && { body }) });
    const hall = await newLocation(platform, staff, { capacity: 100, timezone: 'UTC' });
    await call('PUT', `/locations/${hall}`, staff, { capacity: 50 });
    const { gymClass, sessions } = await newClass(platform, staff, {
      locationId: hall,
      rrule: 'FREQ=DAILY;COUNT=2',
    });
    const [first, second] = sessions as [{ id: string }, { id: string }];
    await call('PUT', `/classes/${gymClass.id}`, staff, { title: 'Pilates' });
    await call('PUT', `/class-sessions/${second.id}`, staff, { instructor: 'Ada' });
    await call('PUT', `/class-sessions/${second.id}`, staff, { status: 'CANCELLED' });
    const { body: byStaff } = await book(platform, staff, first.id, { userId: member.id });
    await moveInTime(platform, first.id, 30);
    await call('PUT', `/bookings/${byStaff.id}`, staff, { status: 'ATTENDED' });
    await call('PUT', `/bookings/${byStaff.id}`, staff, { status: 'ATTENDED' }); // changes nothing
    const { body: own } = await book(platform, other.token, first.id); // not by staff
    await cancel(platform, staff, own.id);
    await call('DELETE', `/classes/${gymClass.id}`, staff);
    const { body } = await audit(`from=${since}`);
    const { data } = await platform.graph(
      'gym',
      'query ($from: String) { gymAudit(from: $from) { nodes { id action subjectId } } }',
      { from: since },
      { token: staff },
    );
    const records = body as { id: string; action: string; subjectId: string | null }[];
    expect(records.map(({ id, action, subjectId }) => ({ id, action, subjectId }))).toEqual(
      data.gymAudit.nodes,
    );
    expect(records.toReversed().map(({ action, subjectId }) => [action, subjectId])).toEqual([
      ['LOCATION_CREATED', hall],
      ['LOCATION_UPDATED', hall],
      ['CLASS_CREATED', hall],
      ['CLASS_UPDATED', hall],
      ['SESSION_UPDATED', hall],
      ['SESSION_CANCELLED', hall],
      ['BOOKING_CREATED', member.id],
      ['BOOKING_ATTENDED', member.id],
      ['BOOKING_CANCELLED', other.id],
      ['CLASS_DELETED', hall],
    ]);
  });

  it('is read by an admin for their own gym only; a SUPER_ADMIN must name the gym', async () => {
    const other = await platform.demo('admin@aqua.test');
    expect((await audit('', other)).body).toEqual([]);
    expect((await audit(`gymId=${gymId}`, other)).status).toBe(403);
    expect((await audit('', superAdmin)).body.code).toBe('GYM_REQUIRED');
    expect((await audit(`gymId=${gymId}`, superAdmin)).status).toBe(200);
    expect((await audit('action=close')).status).toBe(400);
  });
});
