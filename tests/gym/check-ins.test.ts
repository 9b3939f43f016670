import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
const open: Subscription[] = [];
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    env: { GYM_CHECK_OUT_SWEEP_MILLIS: '100' },
  });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;

interface Member {
  id: string;
  token: string;
  qrCode: string;
}
async function member(gymId: string | null = ironTemple.id): Promise<Member> {
  const { id, token } = await platform.register(gymId);
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
  return { id, token, qrCode: body.qrCode };
}
/** Members straight into identity's table: 200 registrations would hash 200 passwords. */
async function members(count: number): Promise<Member[]> {
  const rows = await platform.sql(
    'identity',
    `insert into user_account select (jsonb_populate_record(null::user_account, to_jsonb(u) || jsonb_build_object(
       'id', gen_random_uuid(), 'email', gen_random_uuid() || '@example.test', 'qr_code', 'FIT-' || gen_random_uuid()))).*
     from user_account u, generate_series(1, $1) where u.email = 'maya@iron.test' returning id, qr_code`,
    [count],
  );
  return rows.map(({ id, qr_code: qrCode }) => ({ id, token: '', qrCode }));
}
async function location(change: object = {}, token = staff): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/locations', {
    token,
    body: { name: `Hall ${randomUUID()}`, timezone: 'Europe/Berlin', capacity: 10, ...change },
  });
  return body.id;
}
const checkIn = (token: string, body: object) =>
  platform.rest('gym', 'POST', '/locations/check-in', { token, body });
const checkOut = (token: string, body: object = {}) =>
  platform.rest('gym', 'POST', '/locations/check-out', { token, body });
const people = async (id: string, token = staff) =>
  (await platform.rest('gym', 'GET', `/locations/${id}/occupancy`, { token })).body.people;
const runOut = (userId: string) =>
  platform.sql(
    'gym',
    "update check_in set checked_in_at = now() - interval '2 hours', expires_at = now() - interval '1 minute' where user_id = $1",
    [userId],
  );

describe('a check-in', () => {
  it('opens a visit; a second scan gives the same visit, and a check-out ends it', async () => {
    const [maya, hall] = [await member(), await location()];
    const first = await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall, source: 'kiosk' });
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
    expect(await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall })).toMatchObject({
      status: 200,
      body: { id: first.body.id, duplicate: true },
    });
    expect(await people(hall)).toBe(1);
    expect(await checkOut(maya.token)).toMatchObject({
      status: 200,
      body: { id: first.body.id, checkedOutAt: expect.any(String) },
    });
    expect(await checkOut(maya.token)).toMatchObject({ status: 404 });
    expect(await people(hall)).toBe(0);
  });

  it('works by the graph alike', async () => {
    const [maya, hall] = [await member(), await location()];
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
    const [maya, forge, anvil] = [await member(), await location(), await location()];
    await checkIn(maya.token, { qrCode: maya.qrCode, locationId: forge });
    expect((await checkIn(maya.token, { qrCode: maya.qrCode, locationId: anvil })).status).toBe(201);
    expect([await people(forge), await people(anvil)]).toEqual([0, 1]);
  });

  it.each([
    ['a member with her own code', () => member(), undefined, 201, undefined],
    ['a member with another code', () => member(), () => member(), 403, 'FORBIDDEN'],
    [
      'a member with a code of nobody',
      () => member(),
      async () => ({ qrCode: 'FIT-nobody' }),
      403,
      'FORBIDDEN',
    ],
    ['a member of another gym', () => member(aquaClub.id), undefined, 403, 'WRONG_GYM'],
    ['a member without a gym', () => member(null), undefined, 400, 'GYM_REQUIRED'],
    [
      'staff with a code of nobody',
      async () => ({ token: staff, qrCode: '' }),
      async () => ({ qrCode: 'FIT-nobody' }),
      404,
      'QR_UNKNOWN',
    ],
    [
      'staff with what is no code',
      async () => ({ token: staff, qrCode: '' }),
      async () => ({ qrCode: '../users/all?' }),
      404,
      'QR_UNKNOWN',
    ],
    [
      'staff with a member of theirs',
      async () => ({ token: staff, qrCode: '' }),
      () => member(),
      201,
      undefined,
    ],
    [
      'staff with a member of another gym',
      async () => ({ token: staff, qrCode: '' }),
      () => member(aquaClub.id),
      403,
      'WRONG_GYM',
    ],
    [
      'staff of another gym',
      async () => ({ token: otherStaff, qrCode: '' }),
      () => member(),
      403,
      'WRONG_GYM',
    ],
    [
      'a SUPER_ADMIN',
      async () => ({ token: await platform.demo('super@demo.test'), qrCode: '' }),
      () => member(),
      201,
      undefined,
    ],
  ] as const)('by %s', async (_who, presenter, holder, status, code) => {
    const [{ token, qrCode }, hall] = [await presenter(), await location()];
    const presented = holder ? (await holder()).qrCode : qrCode;
    const answer = await checkIn(token, { qrCode: presented, locationId: hall });
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    const { body: denials } = await platform.rest('gym', 'GET', `/locations/${hall}/denials`, {
      token: staff,
    });
    expect(denials.map(({ reason }: { reason: string }) => reason)).toEqual(code ? [code] : []);
    expect(await people(hall)).toBe(status === 201 ? 1 : 0);
  });

  it.each([
    {},
    { qrCode: '' },
    { qrCode: 'x'.repeat(300) },
    { qrCode: 7 },
    { qrCode: 'FIT-x', locationId: 'hall' },
  ])('without what it needs is refused: %j', async (body) => {
    expect(await checkIn(staff, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  it('is 404 at a location that does not exist', async () => {
    const maya = await member();
    expect((await checkIn(maya.token, { qrCode: maya.qrCode, locationId: randomUUID() })).status).toBe(404);
  });

  it('into a full location is refused, unless staff override it, which is audited', async () => {
    const hall = await location({ capacity: 1 });
    const [first, second] = [await member(), await member()];
    await checkIn(first.token, { qrCode: first.qrCode, locationId: hall });
    expect(await checkIn(second.token, { qrCode: second.qrCode, locationId: hall })).toMatchObject({
      status: 409,
      body: { code: 'LOCATION_FULL' },
    });
    expect(
      await checkIn(second.token, { qrCode: second.qrCode, locationId: hall, override: true }),
    ).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await checkIn(staff, { qrCode: second.qrCode, locationId: hall, override: true })).toMatchObject({
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

  it('is 503 with Retry-After while identity is down, and leaves nothing half', async () => {
    const lonely = await startPlatform({ services: ['identity', 'gym'] });
    try {
      const [maya, hallToken] = [await lonely.register(), await lonely.demo('admin@iron.test')];
      const { body: hall } = await lonely.rest('gym', 'POST', '/locations', {
        token: hallToken,
        body: { name: 'Hall', timezone: 'UTC', capacity: 5 },
      });
      await lonely.running('identity').stop();
      const answer = await lonely.rest('gym', 'POST', '/locations/check-in', {
        token: maya.token,
        body: { qrCode: 'FIT-anything', locationId: hall.id },
      });
      expect(answer).toMatchObject({ status: 503, body: { code: 'UPSTREAM_UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(
        await lonely.sql(
          'gym',
          'select 1 from check_in where location_id = $1 union all select 1 from check_in_denial where location_id = $1',
          [hall.id],
        ),
      ).toEqual([]);
    } finally {
      await lonely.stop();
    }
  });
});

describe('at once', () => {
  it('200 into a location of 50, at two replicas: exactly 50 are inside, 150 refusals are kept', async () => {
    const [replica, hall, crowd] = [
      await platform.replica('gym'),
      await location({ capacity: 50 }),
      await members(200),
    ];
    const urls = [platform.url('gym'), replica.url];
    const statuses = await Promise.all(
      crowd.map(async ({ qrCode }, index) => {
        const response = await fetch(`${urls[index % 2]}/locations/check-in`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${staff}` },
          body: JSON.stringify({ qrCode, locationId: hall }),
        });
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.filter((status) => status === 409)).toHaveLength(150);
    expect(await people(hall)).toBe(50);
    const { data } = await platform.graph(
      'gym',
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Location { occupancy { people percent level } } } }',
      { r: [{ __typename: 'Location', id: hall }] },
      { token: staff },
    );
    expect(data._entities).toEqual([{ occupancy: { people: 50, percent: 100, level: 'FULL' } }]);
    expect(
      await platform.sql(
        'gym',
        'select count(*)::int as denials from check_in_denial where location_id = $1',
        [hall],
      ),
    ).toEqual([{ denials: 150 }]);
  }, 60_000);

  it('50 scans of one member, at two locations, make one open visit', async () => {
    const [maya, forge, anvil] = [await member(), await location(), await location()];
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => checkIn(maya.token, { qrCode: maya.qrCode, locationId: forge })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        checkIn(maya.token, { qrCode: maya.qrCode, locationId: i % 2 ? forge : anvil }),
      ),
    );
    expect((await people(forge)) + (await people(anvil))).toBe(1);
  });
});

describe('a visit that has lasted long enough', () => {
  it('frees its place at once, and is ended once, by one of two replicas, without anyone asking', async () => {
    const [replica, hall] = [await platform.replica('gym'), await location({ capacity: 1 })];
    expect(replica.port).toBeGreaterThan(0);
    const [first, second] = [await member(), await member()];
    const { body: visit } = await checkIn(first.token, { qrCode: first.qrCode, locationId: hall });
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: hall },
      staff,
    );
    open.push(events);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 1 } });
    await runOut(first.id);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0 } });
    const [stored] = await platform.sql(
      'gym',
      'select checked_out_at = expires_at as punctual, check_out_kind from check_in where id = $1',
      [visit.id],
    );
    expect(stored).toEqual({ punctual: true, check_out_kind: 'AUTOMATIC' });
    expect((await checkIn(second.token, { qrCode: second.qrCode, locationId: hall })).status).toBe(201);
  });

  it('ends at the next start where no service was up', async () => {
    const [maya, hall] = [await member(), await location()];
    const { body: visit } = await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall });
    await runOut(maya.id);
    await platform.restart('gym');
    expect(await people(hall)).toBe(0);
    expect((await platform.rest('gym', 'GET', '/check-ins', { token: maya.token })).body).toMatchObject([
      { id: visit.id, checkedOutAt: expect.any(String) },
    ]);
  });
});

describe('check-ins of a member', () => {
  it('are her own, and those who run her gym see them', async () => {
    const [maya, hall] = [await member(), await location()];
    const { body: visit } = await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall });
    const entities =
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { currentCheckIn { id } checkIns { nodes { id } } } ... on CheckIn { locationId } } }';
    const r = [
      { __typename: 'User', id: maya.id },
      { __typename: 'CheckIn', id: visit.id },
    ];
    for (const token of [maya.token, staff, await platform.demo('super@demo.test')]) {
      expect((await platform.graph('gym', entities, { r }, { token })).data._entities).toEqual([
        { currentCheckIn: { id: visit.id }, checkIns: { nodes: [{ id: visit.id }] } },
        { locationId: hall },
      ]);
      expect(
        (await platform.rest('gym', 'GET', `/check-ins?userId=${maya.id}`, { token })).body,
      ).toMatchObject([{ id: visit.id }]);
    }
    const stranger = await member();
    expect((await platform.graph('gym', entities, { r }, { token: stranger.token })).data._entities).toEqual([
      { currentCheckIn: null, checkIns: null },
      null,
    ]);
    expect(
      (await platform.rest('gym', 'GET', `/check-ins?userId=${maya.id}`, { token: stranger.token })).status,
    ).toBe(404);
    // staff of another gym learn nothing either: not that there is a visit
    expect((await platform.graph('gym', entities, { r }, { token: otherStaff })).data._entities).toEqual([
      { currentCheckIn: null, checkIns: { nodes: [] } },
      null,
    ]);
  });

  it('are paged, newest first', async () => {
    const [maya, halls] = [await member(), await Promise.all([location(), location(), location()])];
    const ids: string[] = [];
    for (const locationId of halls)
      ids.unshift((await checkIn(maya.token, { qrCode: maya.qrCode, locationId })).body.id);
    const first = await platform.rest('gym', 'GET', '/check-ins?limit=2', { token: maya.token });
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await platform.rest('gym', 'GET', next, { token: maya.token });
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids);
  });

  it('may be undone by staff, and count nowhere then', async () => {
    const [maya, hall] = [await member(), await location()];
    const { body: visit } = await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall });
    const undo = (token: string) => platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token });
    expect((await undo(maya.token)).status).toBe(403);
    expect((await undo(otherStaff)).status).toBe(404);
    expect((await undo(staff)).status).toBe(204);
    expect((await undo(staff)).status).toBe(404);
    expect(await people(hall)).toBe(0);
    expect((await platform.rest('gym', 'GET', '/check-ins', { token: maya.token })).body).toEqual([]);
  });
});

describe('occupancy', () => {
  it('reaches a subscriber with the gym of the location when somebody checks in by REST', async () => {
    const [maya, hall] = [await member(), await location({ capacity: 5 })];
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people percent level location { name gym { name } } } }',
      { id: hall },
      (await member()).token,
    );
    open.push(events);
    expect((await events.next()).data).toMatchObject({
      occupancyChanged: { people: 0, location: { gym: { name: 'Iron Temple' } } },
    });
    await checkIn(maya.token, { qrCode: maya.qrCode, locationId: hall });
    expect((await events.next()).data).toMatchObject({
      occupancyChanged: { people: 1, percent: 20, level: 'OK' },
    });
    await checkOut(maya.token);
    expect((await events.next()).data).toMatchObject({ occupancyChanged: { people: 0 } });
  });

  it('is told to nobody of another gym', async () => {
    const hall = await location();
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: hall },
      otherStaff,
    );
    open.push(events);
    await expect(events.next()).resolves.toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  it('has a history by the hour, and a picture of it', async () => {
    const hall = await location({ capacity: 3, name: 'Hall <&> "One"' });
    const day = Date.UTC(2026, 2, 2);
    const visit = (from: number, to: number) =>
      platform.sql(
        'gym',
        "insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, checked_in_by) values ($1, $2, $3, $4, $5, $6, $6, 'MANUAL', 'QR', $2)",
        [
          randomUUID(),
          randomUUID(),
          ironTemple.id,
          hall,
          new Date(day + from * 60_000),
          new Date(day + to * 60_000),
        ],
      );
    await Promise.all([visit(10, 100), visit(20, 70), visit(50, 65), visit(130, 150), visit(-30, 5)]);
    const range = `from=${new Date(day).toISOString()}&to=${new Date(day + 4 * 3_600_000).toISOString()}`;
    const { body } = await platform.rest('gym', 'GET', `/locations/${hall}/occupancy/history?${range}`, {
      token: staff,
    });
    expect(body.map(({ peak, checkIns }: { peak: number; checkIns: number }) => [peak, checkIns])).toEqual([
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
});
