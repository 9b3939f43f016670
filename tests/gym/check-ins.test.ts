import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { checkIn, checkOut, newLocation, newMember, peopleInside } from './support.ts';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;

const people = (id: string) => peopleInside(platform, staff, id);

describe('a check-in', () => {
  it('declares its statuses 200 and 201 in OpenAPI', async () => {
    const { body } = await platform.rest('gym', 'GET', '/openapi.json');
    expect(Object.keys(body.paths['/locations/check-in'].post.responses)).toEqual(
      expect.arrayContaining(['200', '201']),
    );
  });

  it('opens a visit; a second scan returns the same visit, and a check-out ends it', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const first = await checkIn(platform, maya.token, {
      qrCode: maya.qrCode,
      locationId: hall,
      source: 'kiosk',
    });
    expect(first).toMatchObject({
      status: 201,
      body: {
        userId: maya.id,
        gymId: ironTemple.id,
        locationId: hall,
        checkedOutAt: null,
        source: 'kiosk',
        method: 'QR',
        duplicate: false,
      },
    });
    expect(await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall })).toMatchObject({
      status: 200,
      body: { id: first.body.id, duplicate: true },
    });
    expect(await people(hall)).toBe(1);
    expect(await checkOut(platform, maya.token)).toMatchObject({
      status: 200,
      body: { id: first.body.id, checkedOutAt: expect.any(String) },
    });
    expect(await checkOut(platform, maya.token)).toMatchObject({ status: 404 });
    expect(await people(hall)).toBe(0);
  });

  it('and a check-out have the same effect in the graph', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const enter = () =>
      platform.graph(
        'gym',
        'mutation ($input: CheckInInput!) { checkIn(input: $input) { id duplicate user { id } location { id occupancy { people } } } }',
        { input: { qrCode: maya.qrCode, locationId: hall } },
        { token: maya.token },
      );
    const { data } = await enter();
    expect(data.checkIn).toMatchObject({
      duplicate: false,
      user: { id: maya.id },
      location: { id: hall, occupancy: { people: 1 } },
    });
    expect((await enter()).data.checkIn).toMatchObject({ id: data.checkIn.id, duplicate: true });
    expect(
      (await platform.graph('gym', 'mutation { checkOut { id checkedOutAt } }', {}, { token: maya.token }))
        .data.checkOut,
    ).toEqual({ id: data.checkIn.id, checkedOutAt: expect.any(String) });
  });

  it('at another location ends the first visit', async () => {
    const [maya, forge, anvil] = [
      await newMember(platform),
      await newLocation(platform, staff),
      await newLocation(platform, staff),
    ];
    await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: forge });
    expect((await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: anvil })).status).toBe(
      201,
    );
    expect([await people(forge), await people(anvil)]).toEqual([0, 1]);
  });

  it.each([
    ['a member with their own code', () => newMember(platform), undefined, 201, undefined],
    [
      'a member with the code of another member',
      () => newMember(platform),
      () => newMember(platform),
      403,
      'FORBIDDEN',
    ],
    [
      'a member with an unknown code',
      () => newMember(platform),
      async () => ({ qrCode: 'FIT-nobody' }),
      403,
      'FORBIDDEN',
    ],
    ['a member of another gym', () => newMember(platform, aquaClub.id), undefined, 403, 'WRONG_GYM'],
    ['a member without a gym', () => newMember(platform, null), undefined, 400, 'GYM_REQUIRED'],
    [
      'staff with an unknown code',
      async () => ({ token: staff, qrCode: '' }),
      async () => ({ qrCode: 'FIT-nobody' }),
      404,
      'QR_UNKNOWN',
    ],
    [
      'staff with a text that is no code',
      async () => ({ token: staff, qrCode: '' }),
      async () => ({ qrCode: '../users/all?' }),
      404,
      'QR_UNKNOWN',
    ],
    [
      'staff with the code of a member of their gym',
      async () => ({ token: staff, qrCode: '' }),
      () => newMember(platform),
      201,
      undefined,
    ],
    [
      'staff with the code of a member of another gym',
      async () => ({ token: staff, qrCode: '' }),
      () => newMember(platform, aquaClub.id),
      403,
      'WRONG_GYM',
    ],
    [
      'staff of another gym',
      async () => ({ token: otherStaff, qrCode: '' }),
      () => newMember(platform),
      403,
      'WRONG_GYM',
    ],
    [
      'a SUPER_ADMIN',
      async () => ({ token: await platform.demo('super@demo.test'), qrCode: '' }),
      () => newMember(platform),
      201,
      undefined,
    ],
  ] as const)(
    'by %s is stored; if it is refused, its denial is stored',
    async (_who, presenter, holder, status, code) => {
      const [{ token, qrCode }, hall] = [await presenter(), await newLocation(platform, staff)];
      const presented = holder ? (await holder()).qrCode : qrCode;
      const answer = await checkIn(platform, token, { qrCode: presented, locationId: hall });
      expect(answer.status).toBe(status);
      expect(answer.body.code).toBe(code);
      const { body: denials } = await platform.rest('gym', 'GET', `/locations/${hall}/denials`, {
        token: staff,
      });
      expect(denials.map(({ reason }: { reason: string }) => reason)).toEqual(code ? [code] : []);
      expect(await people(hall)).toBe(status === 201 ? 1 : 0);
    },
  );

  it.each([
    {},
    { qrCode: '' },
    { qrCode: 'x'.repeat(1_025) },
    { qrCode: 7 },
    { qrCode: 'FIT-x', locationId: 'hall' },
  ])('with missing or invalid fields is refused: %j', async (body) => {
    expect(await checkIn(platform, staff, body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  });

  it('is refused with the old code as soon as the code is rotated', async () => {
    const member = await newMember(platform);
    const locationId = await newLocation(platform, staff);
    const scan = () => checkIn(platform, staff, { qrCode: member.qrCode, locationId });
    expect((await scan()).status).toBe(201);
    await platform.rest('identity', 'POST', '/auth/qr/rotate', { token: member.token });
    expect(await scan()).toMatchObject({ status: 404, body: { code: 'QR_UNKNOWN' } });
  });

  it('is 404 at a location that does not exist', async () => {
    const maya = await newMember(platform);
    expect(
      (await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: randomUUID() })).status,
    ).toBe(404);
  });

  it('into a full location is refused, unless staff override the limit, which is audited', async () => {
    const hall = await newLocation(platform, staff, { capacity: 1 });
    const [first, second] = [await newMember(platform), await newMember(platform)];
    await checkIn(platform, first.token, { qrCode: first.qrCode, locationId: hall });
    expect(await checkIn(platform, second.token, { qrCode: second.qrCode, locationId: hall })).toMatchObject({
      status: 409,
      body: { code: 'LOCATION_FULL' },
    });
    expect(
      await checkIn(platform, second.token, { qrCode: second.qrCode, locationId: hall, override: true }),
    ).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(
      await checkIn(platform, staff, { qrCode: second.qrCode, locationId: hall, override: true }),
    ).toMatchObject({
      status: 201,
      body: { method: 'OVERRIDE' },
    });
    expect(await people(hall)).toBe(2);
    const audited = await platform.sql(
      'gym',
      "select action, details from audit_event where details->>'userId' = $1",
      [second.id],
    );
    expect(audited).toMatchObject([{ action: 'CHECK_IN_OVERRIDE', details: { people: 1, capacity: 1 } }]);
    await expect(platform.sql('gym', 'delete from audit_event')).rejects.toThrow(/never changed/);
  });

  it('is 503 with Retry-After while identity is down, and writes nothing', async () => {
    const separate = await startPlatform({ services: ['identity', 'gym'] });
    try {
      const [maya, hallToken] = [await separate.register(), await separate.demo('admin@iron.test')];
      const { body: hall } = await separate.rest('gym', 'POST', '/locations', {
        token: hallToken,
        body: { name: 'Hall', timezone: 'UTC', capacity: 5 },
      });
      await separate.running('identity').stop();
      const answer = await separate.rest('gym', 'POST', '/locations/check-in', {
        token: maya.token,
        body: { qrCode: 'FIT-anything', locationId: hall.id },
      });
      expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(
        await separate.sql(
          'gym',
          'select 1 from check_in where location_id = $1 union all select 1 from check_in_denial where location_id = $1',
          [hall.id],
        ),
      ).toEqual([]);
    } finally {
      await separate.stop();
    }
  });
});
