import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DateTime } from 'luxon';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { checkIn, checkOut, newLocation, newMember, place, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const timezone = 'Asia/Kolkata';
/** The opening hours of a location that opens in 6 hours, so it is closed now. */
const closedNow = () => {
  const opens = DateTime.now().setZone(timezone).plus({ hours: 6 });
  const day = (['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const)[opens.weekday - 1] ?? 'mon';
  const time = (at: DateTime) => at.toFormat('HH:mm');
  return { [day]: [{ opens: time(opens), closes: time(opens.plus({ hours: 2 })) }] };
};
const update = (id: string, body: object) =>
  platform.rest('gym', 'PUT', `/locations/${id}`, { token: staff, body });
const denialsAt = async (id: string) =>
  (
    (await platform.rest('gym', 'GET', `/locations/${id}/denials`, { token: staff })).body as {
      reason: string;
      userId: string | null;
    }[]
  ).map(({ reason, userId }) => [reason, userId]);
const shortLived = async ({ token }: Member) =>
  (await platform.rest('identity', 'GET', '/users/me/qr', { token })).body.code as string;

describe('outside of the opening hours, a check-in', () => {
  it('is refused for members and for staff who scan, and is stored as a denial', async () => {
    const [maya, hall] = [
      await newMember(platform),
      await newLocation(platform, staff, { timezone, openingHours: closedNow() }),
    ];
    for (const token of [maya.token, staff])
      expect(await checkIn(platform, token, { qrCode: maya.qrCode, locationId: hall })).toMatchObject({
        status: 403,
        body: { code: 'LOCATION_CLOSED' },
      });
    expect(await denialsAt(hall)).toEqual([
      ['LOCATION_CLOSED', maya.id],
      ['LOCATION_CLOSED', maya.id],
    ]);
  });

  it('is possible by an override of staff, which is audited', async () => {
    const [maya, hall] = [
      await newMember(platform),
      await newLocation(platform, staff, { timezone, openingHours: closedNow() }),
    ];
    const scan = (token: string) =>
      checkIn(platform, token, { qrCode: maya.qrCode, locationId: hall, override: true });
    expect(await scan(maya.token)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await scan(staff)).toMatchObject({ status: 201, body: { method: 'OVERRIDE' } });
    const { body } = await platform.rest('gym', 'GET', '/audit?action=CHECK_IN_OVERRIDE&limit=1', {
      token: staff,
    });
    expect(body).toMatchObject([
      { action: 'CHECK_IN_OVERRIDE', subjectId: maya.id, details: { locationId: hall, isClosed: true } },
    ]);
  });

  it('returns the open visit that began during the opening hours, and a check-out ends it', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff, { timezone })];
    const scan = () => checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    expect((await scan()).status).toBe(201);
    await update(hall, { openingHours: closedNow() });
    expect(await scan()).toMatchObject({ status: 200, body: { duplicate: true } });
    expect((await checkOut(platform, maya.token)).status).toBe(200);
    expect((await scan()).status).toBe(403);
  });

  it('is refused on a date that an exception closes, and possible once the exceptions are set to null', async () => {
    const today = DateTime.now().setZone(timezone).toISODate();
    const yesterday = DateTime.now().setZone(timezone).minus({ days: 1 }).toISODate();
    const tomorrow = DateTime.now().setZone(timezone).plus({ days: 1 }).toISODate();
    const [maya, hall] = [
      await newMember(platform),
      await newLocation(platform, staff, {
        timezone,
        openingExceptions: [yesterday, today, tomorrow].map((date) => ({ date, closed: true })),
      }),
    ];
    const scan = () => checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    expect((await scan()).body.code).toBe('LOCATION_CLOSED');
    expect((await update(hall, { openingExceptions: null })).body).toMatchObject({ openingExceptions: [] });
    expect((await scan()).status).toBe(201);
  });

  it('follows opening hours that an earlier release stored, with one object for a day instead of a list', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff, { timezone })];
    const scan = () => checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    const write = (hours: object) =>
      platform.sql('gym', 'update location set opening_hours = $2 where id = $1', [
        hall,
        JSON.stringify(hours),
      ]);
    const [[day, [interval]]] = Object.entries(closedNow()) as [[string, [object]]];
    await write({ [day]: interval });
    expect((await scan()).body.code).toBe('LOCATION_CLOSED');
    const always = { opens: '00:00', closes: '24:00' };
    await write(
      Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((name) => [name, always])),
    );
    expect((await scan()).status).toBe(201);
  });
});

describe('opening hours of a location', () => {
  const hours = {
    mon: [
      { opens: '06:30', closes: '12:00' },
      { opens: '16:00', closes: '01:00' },
    ],
    sat: [{ opens: '09:00', closes: '24:00' }],
  };
  const exceptions = [
    { date: '2026-12-24', intervals: [{ opens: '08:00', closes: '14:00' }] },
    { date: '2026-12-25', closed: true },
  ];

  it('are written and answered by REST and in the graph; one object for a day is answered as a list', async () => {
    const { body: made } = await platform.rest('gym', 'POST', '/locations', {
      token: staff,
      body: place({ openingHours: hours, openingExceptions: exceptions, qrPolicy: 'SHORT_LIVED' }),
    });
    expect(made).toMatchObject({
      openingHours: hours,
      openingExceptions: exceptions,
      qrPolicy: 'SHORT_LIVED',
    });
    const query = '{ openingHours openingExceptions qrPolicy closedAt }';
    const { data } = await platform.graph(
      'gym',
      `mutation ($input: UpdateLocationInput!) { updateLocation(input: $input) ${query} }`,
      { input: { id: made.id, openingHours: { sun: { opens: '10:00', closes: '18:00' } }, qrPolicy: 'ANY' } },
      { token: staff },
    );
    expect(data.updateLocation).toEqual({
      openingHours: { sun: [{ opens: '10:00', closes: '18:00' }] },
      openingExceptions: exceptions,
      qrPolicy: 'ANY',
      closedAt: null,
    });
  });

  it.each([
    [{ openingHours: { mon: [...hours.mon, { opens: '11:00', closes: '12:30' }] } }, 'openingHours.mon'],
    [{ openingHours: { mon: hours.mon, tue: [{ opens: '00:30', closes: '12:00' }] } }, 'openingHours.tue'],
    [{ openingHours: { mon: { opens: '6:30', closes: '12:00' } } }, 'openingHours.mon.opens'],
    [{ openingExceptions: [{ date: '2026-12-24' }] }, 'openingExceptions.0'],
    [{ openingExceptions: [exceptions[1], exceptions[1]] }, 'openingExceptions.1.date'],
    [{ qrPolicy: 'NONE' }, 'qrPolicy'],
  ])('are refused with the path of the wrong field, as a wrong qrPolicy is: %j', async (change, path) => {
    const hall = await newLocation(platform, staff);
    const answer = await update(hall, change);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
  });
});

describe('a location with short-lived codes only', () => {
  it('refuses lasting codes, and accepts short-lived ones for check-in and check-out', async () => {
    const maya = await newMember(platform);
    const hall = await newLocation(platform, staff, { qrPolicy: 'SHORT_LIVED' });
    for (const body of [{ qrCode: maya.qrCode }, { qrCode: maya.qrCode, override: true }])
      expect(await checkIn(platform, staff, { ...body, locationId: hall })).toMatchObject({
        status: 403,
        body: { code: 'QR_POLICY' },
      });
    expect(await denialsAt(hall)).toEqual([
      ['QR_POLICY', maya.id],
      ['QR_POLICY', maya.id],
    ]);
    const [first, second] = [await shortLived(maya), await shortLived(maya)];
    expect(await checkIn(platform, staff, { qrCode: first, locationId: hall })).toMatchObject({
      status: 201,
      body: { userId: maya.id, member: { id: maya.id, membership: { status: 'ACTIVE' } } },
    });
    expect((await checkOut(platform, staff, { qrCode: second })).status).toBe(200);
  });

  it('has the same effect in the graph', async () => {
    const maya = await newMember(platform);
    const hall = await newLocation(platform, staff, { qrPolicy: 'SHORT_LIVED' });
    const enter = (qrCode: string) =>
      platform.graph(
        'gym',
        'mutation ($input: CheckInInput!) { checkIn(input: $input) { duplicate } }',
        { input: { qrCode, locationId: hall } },
        { token: maya.token },
      );
    expect((await enter(maya.qrCode)).errors).toMatchObject([{ extensions: { code: 'QR_POLICY' } }]);
    expect((await enter(await shortLived(maya))).data).toEqual({ checkIn: { duplicate: false } });
  });
});

describe('a short-lived code', () => {
  it('is refused if another member presents it, and after a rotation', async () => {
    const [maya, leo] = [await newMember(platform), await newMember(platform)];
    const hall = await newLocation(platform, staff);
    const code = await shortLived(maya);
    expect(await checkIn(platform, leo.token, { qrCode: code, locationId: hall })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    await platform.rest('identity', 'POST', '/auth/qr/rotate', { token: maya.token });
    expect(await checkIn(platform, staff, { qrCode: code, locationId: hall })).toMatchObject({
      status: 404,
      body: { code: 'QR_UNKNOWN' },
    });
  });
});
