import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';
import { checkIn, checkOut, newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
const open: Subscription[] = [];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

const { ironTemple } = DEMO_GYMS;

/** Returns a function that stores a visit between two minutes, counted from `start` (in milliseconds). */
const visitAt = (locationId: string, start: number) => (from: number, to: number) =>
  platform.sql(
    'gym',
    "insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by) values ($1, $2, $3, $4, $5, $6, $6, 'MANUAL', 'QR', $2)",
    [
      randomUUID(),
      randomUUID(),
      ironTemple.id,
      locationId,
      new Date(start + from * 60_000),
      new Date(start + to * 60_000),
    ],
  );

interface Sample {
  from: string;
  peak: number;
  checkIns: number;
}
const history = async (locationId: string, range: string): Promise<Sample[]> =>
  (await platform.rest('gym', 'GET', `/locations/${locationId}/occupancy/history?${range}`, { token: staff }))
    .body;

describe('occupancy', () => {
  it('has the time of its last change, so that answers are equal until the next change', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff, { capacity: 5 })];
    const get = () => platform.rest('gym', 'GET', `/locations/${hall}/occupancy`, { token: maya.token });
    const changes: string[] = [];
    const remember = async () => {
      const { body, headers } = await get();
      changes.push(body.updatedAt);
      expect((await get()).headers.get('etag')).toBe(headers.get('etag'));
    };
    await remember();
    await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    await remember();
    await checkOut(platform, maya.token, { qrCode: maya.qrCode });
    await remember();
    expect(changes).toEqual([...new Set(changes)].toSorted());
  });

  it('is sent to a subscriber, with the gym of the location, when a member checks in by REST', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff, { capacity: 5 })];
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people percent level location { name gym { name } } } }',
      { id: hall },
      (await newMember(platform)).token,
    );
    open.push(events);
    expect((await events.next()).data).toMatchObject({
      occupancyChanged: { people: 0, location: { gym: { name: 'Iron Temple' } } },
    });
    await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    expect((await events.next()).data).toMatchObject({
      occupancyChanged: { people: 1, percent: 20, level: 'OK' },
    });
    await checkOut(platform, maya.token);
    expect((await events.next()).data).toMatchObject({ occupancyChanged: { people: 0 } });
  });

  it('is sent to a subscriber when staff change the capacity of the location', async () => {
    const hall = await newLocation(platform, staff, { capacity: 5 });
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people capacity } }',
      { id: hall },
      staff,
    );
    open.push(events);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0, capacity: 5 } });
    await platform.rest('gym', 'PUT', `/locations/${hall}`, { token: staff, body: { name: 'Hall' } });
    await platform.rest('gym', 'PUT', `/locations/${hall}`, { token: staff, body: { capacity: 4 } });
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0, capacity: 4 } });
  });

  it('and the people inside are read again after each mutation of one operation', async () => {
    const [maya, leo] = [await newMember(platform), await newMember(platform)];
    const hall = await newLocation(platform, staff, { capacity: 5 });
    const visit = `locationId location { occupancy { people } people { visit { userId } } } user { currentCheckIn { id } }`;
    const { data } = await platform.graph(
      'gym',
      `mutation ($maya: String!, $leo: String!, $at: ID!) {
         a: checkIn(input: { qrCode: $maya, locationId: $at }) { ${visit} }
         b: checkIn(input: { qrCode: $leo, locationId: $at }) { ${visit} }
         c: checkOut(input: { qrCode: $maya }) { ${visit} }
       }`,
      { maya: maya.qrCode, leo: leo.qrCode, at: hall },
      { token: staff },
    );
    const seen = (
      Object.values(data) as {
        location: { occupancy: { people: number }; people: unknown[] };
        user: { currentCheckIn: object | null };
      }[]
    ).map(({ location: { occupancy, people }, user }) => [
      occupancy.people,
      people.length,
      user.currentCheckIn !== null,
    ]);
    expect(seen).toEqual([
      [1, 1, true],
      [2, 2, true],
      [1, 1, false],
    ]);
  });

  it('is sent to a subscriber after notifications may have been missed, without a further change', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff, { capacity: 5 })];
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: hall },
      maya.token,
    );
    open.push(events);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0 } });
    // This has the effect of a check-in whose notification was lost, because the service had no connection for it.
    await platform.sql(
      'gym',
      "insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, method, checked_in_by) values ($1, $2, $3, $4, now(), now() + interval '1 hour', 'QR', $2)",
      [randomUUID(), randomUUID(), ironTemple.id, hall],
    );
    await platform.sql(
      'gym',
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = current_database() || ' notifications'",
    );
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 1 } });
  });

  it('is sent to no user of another gym', async () => {
    const hall = await newLocation(platform, staff);
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: hall },
      otherStaff,
    );
    open.push(events);
    await expect(events.next()).resolves.toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  it('has an hourly history, also as a picture', async () => {
    const hall = await newLocation(platform, staff, { capacity: 3, name: 'Hall <&> "One"' });
    const day = Date.UTC(2026, 2, 2);
    const visit = visitAt(hall, day);
    await Promise.all([visit(10, 100), visit(20, 70), visit(50, 65), visit(130, 150), visit(-30, 5)]);
    const range = `from=${new Date(day).toISOString()}&to=${new Date(day + 4 * 3_600_000).toISOString()}`;
    expect((await history(hall, range)).map(({ peak, checkIns }) => [peak, checkIns])).toEqual([
      [3, 3],
      [3, 0],
      [1, 1],
      [0, 0],
    ]);
    const { body: picture } = await platform.rest(
      'gym',
      'GET',
      `/locations/${hall}/occupancy/chart.svg?${range}`,
      { token: staff },
    );
    expect(picture).toContain('<svg');
    expect(picture).not.toContain('<&>');
    expect(String(picture).match(/class="full"/g)).toHaveLength(2);
    for (const wrong of [
      'from=yesterday',
      'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
      'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    ])
      expect(
        (await platform.rest('gym', 'GET', `/locations/${hall}/occupancy/history?${wrong}`, { token: staff }))
          .status,
      ).toBe(400);
  });

  it('has a history that counts all visits that began before it', async () => {
    const hall = await newLocation(platform, staff);
    const day = Date.UTC(2026, 2, 2);
    const visit = visitAt(hall, day);
    await Promise.all([visit(-30, 130), visit(-20, 130), visit(-10, 130)]);
    const range = `from=${new Date(day).toISOString()}&to=${new Date(day + 4 * 3_600_000).toISOString()}`;
    expect((await history(hall, range)).map(({ peak, checkIns }) => [peak, checkIns])).toEqual([
      [3, 0],
      [3, 0],
      [3, 0],
      [0, 0],
    ]);
  });

  it.each([
    ['Asia/Kolkata', 330],
    ['Asia/Kathmandu', 345],
  ])(
    "has the hours of the location's clock in %s, and a local day contains nothing of the day before",
    async (timezone, offsetMinutes) => {
      const hall = await newLocation(platform, staff, { timezone });
      const midnight = Date.UTC(2026, 2, 2) - offsetMinutes * 60_000;
      const visit = visitAt(hall, midnight);
      await Promise.all([visit(-20, -5), visit(10, 50), visit(70, 80), visit(23 * 60 + 50, 24 * 60 + 10)]);
      const samples = await history(hall, 'from=2026-03-02&to=2026-03-02');
      expect(samples.map(({ from }) => Date.parse(from))).toEqual(
        Array.from({ length: 24 }, (_unused, hour) => midnight + hour * 3_600_000),
      );
      expect(samples.flatMap(({ checkIns }, hour) => (checkIns > 0 ? [[hour, checkIns]] : []))).toEqual([
        [0, 1],
        [1, 1],
        [23, 1],
      ]);
      // An instant is rounded down to the hour of the same clock.
      const instant = new Date(midnight + 25 * 60_000).toISOString();
      expect(
        await history(hall, `from=${instant}&to=${new Date(midnight + 3_600_000).toISOString()}`),
      ).toEqual(samples.slice(0, 1));
    },
  );
});
