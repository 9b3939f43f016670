import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';
import { checkIn, checkOut, newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'], gateway: true });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterAll(() => platform.stop());

const get = (path: string, token = staff) => platform.rest('gym', 'GET', path, { token });

async function clientToken(locationId: string | null, scopes: readonly string[]): Promise<string> {
  const { body: client } = await platform.rest('identity', 'POST', '/api-clients', {
    token: staff,
    body: { name: 'Desk', scopes, locationId },
  });
  const { body } = await platform.rest('identity', 'POST', '/auth/token', {
    body: { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret },
  });
  return body.access_token as string;
}

/** Stores ended visits of one member that began at these times; returns the ids of the visits, the newest last. */
async function storeVisits(
  locationId: string,
  times: readonly string[],
  source = 'kiosk',
): Promise<string[]> {
  const rows = await platform.sql(
    'gym',
    `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method, source)
     select gen_random_uuid(), (select user_id from check_in where user_id is not null limit 1), gym_id, location.id, at, at + interval '1 hour', at + interval '1 hour', 'MANUAL', 'QR', $3
     from location, unnest($2::timestamptz[]) at where location.id = $1 returning id, checked_in_at`,
    [locationId, times, source],
  );
  return rows
    .toSorted((a, b) => Number(a.checked_in_at) - Number(b.checked_in_at))
    .map(({ id }) => id as string);
}

describe('the people inside a location', () => {
  it('are listed with name, picture and visit, the latest first, at both doors', async () => {
    const hall = await newLocation(platform, staff);
    const [maya, leo, gone] = [
      await newMember(platform),
      await newMember(platform),
      await newMember(platform),
    ];
    await platform.rest('identity', 'PUT', '/profile', {
      token: maya.token,
      body: { displayName: 'Maya M' },
    });
    for (const { qrCode } of [maya, leo, gone]) await checkIn(platform, staff, { qrCode, locationId: hall });
    await checkOut(platform, staff, { userId: gone.id });
    const { status, body } = await get(`/locations/${hall}/people`);
    expect(status).toBe(200);
    expect(body).toMatchObject([
      {
        user: { id: leo.id, avatar: null },
        membership: { status: 'ACTIVE', reason: null },
        visit: { userId: leo.id, locationId: hall },
      },
      { user: { id: maya.id, displayName: 'Maya M' }, visit: { userId: maya.id, checkedOutAt: null } },
    ]);
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { location(id: $id) { people { user { id } visit { id userId } } } }',
      { id: hall },
      { token: staff },
    );
    const named = await platform.graph(
      'gateway',
      'query ($id: ID!) { location(id: $id) { people { user { displayName } } visits(first: 1) { nodes { user { displayName } } } } }',
      { id: hall },
      { token: staff },
    );
    expect(named.data.location.people[1]).toEqual({ user: { displayName: 'Maya M' } });
    expect(named.data.location.visits.nodes).toHaveLength(1);
    expect(data.location.people).toEqual(
      [leo, maya].map(({ id }) => ({
        user: { id },
        visit: { id: expect.any(String), userId: id },
      })),
    );
  });

  it('and its visits are visible to staff, and to a machine client with visits:read of this location', async () => {
    const [hall, elsewhere] = [await newLocation(platform, staff), await newLocation(platform, staff)];
    const maya = await newMember(platform);
    const reader = await clientToken(hall, ['visits:read']);
    const statuses = async (path: string) =>
      Promise.all(
        [
          maya.token,
          otherStaff,
          await platform.demo('super@demo.test'),
          reader,
          await clientToken(hall, ['check-in', 'occupancy:read', 'members:read']),
        ].map(async (token) => (await get(path, token)).status),
      );
    for (const list of ['people', 'visits', 'visits.csv']) {
      expect(await statuses(`/locations/${hall}/${list}`)).toEqual([403, 404, 200, 200, 403]);
      expect((await get(`/locations/${elsewhere}/${list}`, reader)).status).toBe(404);
      expect((await get(`/locations/${randomUUID()}/${list}`)).status).toBe(404);
    }
  });

  it('and the visits of many locations are read by two statements, one for the people and one for the visits', async () => {
    const halls = await Promise.all(Array.from({ length: 12 }, () => newLocation(platform, staff)));
    const read = async (ids: readonly string[]) => {
      const sent = await selectsDuring(async () => {
        const { errors } = await platform.graph(
          'gym',
          `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Location {
            people { visit { id } } visits(first: 2, from: "2026-01-01") { nodes { id } } } } }`,
          { of: ids.map((id) => ({ __typename: 'Location', id })) },
          { token: staff },
        );
        expect(errors).toBeUndefined();
      });
      return sent.filter((text) => /from check_in/.test(text) && !/expires_at <= now\(\)/.test(text)).length;
    };
    expect([await read(halls.slice(0, 2)), await read(halls)]).toEqual([2, 2]);
  });
});

describe('the visits of a location', () => {
  it('are paged, newest first, without those that were undone', async () => {
    const hall = await newLocation(platform, staff);
    const maya = await newMember(platform);
    const { body: undone } = await checkIn(platform, staff, { qrCode: maya.qrCode, locationId: hall });
    await platform.rest('gym', 'DELETE', `/check-ins/${undone.id}`, { token: staff });
    const ids = await storeVisits(
      hall,
      Array.from({ length: 5 }, (_, day) => `2026-10-0${day + 1}T08:00:00Z`),
    );
    const seen: string[] = [];
    let path = `/locations/${hall}/visits?limit=2`;
    while (path) {
      const { body, headers } = await get(path);
      seen.push(...(body as { id: string }[]).map(({ id }) => id));
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(seen).toEqual(ids.toReversed());
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { location(id: $id) { visits(first: 2) { nodes { id user { id } } pageInfo { hasNextPage } } } }',
      { id: hall },
      { token: staff },
    );
    expect(data.location.visits).toMatchObject({
      nodes: ids
        .toReversed()
        .slice(0, 2)
        .map((id) => ({ id })),
      pageInfo: { hasNextPage: true },
    });
  });

  it('can be limited to a range of instants, or of local dates of the location', async () => {
    // The clocks change on 25 October, which has 25 hours: from 22:00 UTC of the 24th to 23:00 UTC of the 25th.
    const hall = await newLocation(platform, staff, { timezone: 'Europe/Berlin' });
    const times = [
      '2026-10-24T21:59:59Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T22:59:59Z',
      '2026-10-25T23:00:00Z',
    ];
    const ids = await storeVisits(hall, times);
    const found = async (query: string) => {
      const { body } = await get(`/locations/${hall}/visits?${query}`);
      return (body as { id: string }[]).map(({ id }) => ids.indexOf(id)).toReversed();
    };
    expect(await found('from=2026-10-25&to=2026-10-25')).toEqual([1, 2]);
    expect(await found('from=2026-10-25')).toEqual([1, 2, 3]);
    expect(await found('to=2026-10-24')).toEqual([0]);
    expect(await found('from=2026-10-24T22:00:00Z&to=2026-10-25T23:00:00Z')).toEqual([1, 2]);
    expect(await found('from=2026-10-25T00:00:00%2B02:00&to=2026-10-25')).toEqual([1, 2]);
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { location(id: $id) { visits(from: "2026-10-25", to: "2026-10-25") { nodes { id } } } }',
      { id: hall },
      { token: staff },
    );
    expect(data.location.visits.nodes).toEqual([{ id: ids[2] }, { id: ids[1] }]);
  });

  it.each(['from=yesterday', 'from=2026-02-30', 'to=2026-10-25T10:00:00', 'from=2026-10-26&to=2026-10-25'])(
    'refuse the range %s',
    async (query) => {
      const hall = await newLocation(platform, staff);
      for (const list of ['visits', 'visits.csv'])
        expect(await get(`/locations/${hall}/${list}?${query}`)).toMatchObject({
          status: 400,
          body: { code: 'VALIDATION_FAILED' },
        });
    },
  );

  it('are exported as CSV by RFC 4180, newest first, without formulas, also if they are more than one page', async () => {
    const hall = await newLocation(platform, staff);
    const maya = await newMember(platform);
    await platform.rest('identity', 'PUT', '/profile', {
      token: maya.token,
      body: { displayName: '=HYPERLINK("http://x.test","a, b")' },
    });
    const { body: visit } = await checkIn(platform, staff, {
      qrCode: maya.qrCode,
      locationId: hall,
      source: '@SUM(A1)',
    });
    const { body, headers } = await get(`/locations/${hall}/visits.csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="visits.csv"');
    expect(body).toBe(
      [
        'id,userId,displayName,checkedInAt,checkedOutAt,method,source',
        `${visit.id},${maya.id},"'=HYPERLINK(""http://x.test"",""a, b"")",${visit.checkedInAt},,QR,'@SUM(A1)`,
        '',
      ].join('\r\n'),
    );
    await platform.sql(
      'gym',
      `insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method)
       select gen_random_uuid(), null, $2, $1, date_trunc('milliseconds', now()) - n * interval '1 minute', now(), now(), 'MANUAL', 'QR' from generate_series(1, 2500) n`,
      [hall, DEMO_GYMS.ironTemple.id],
    );
    const lines = ((await get(`/locations/${hall}/visits.csv`)).body as string).trimEnd().split('\r\n');
    expect(new Set(lines).size).toBe(2_502);
    const times = lines.slice(1).map((line) => line.split(',').find((cell) => /^\d{4}-/.test(cell)) ?? '');
    expect(times).toEqual(times.toSorted((a, b) => b.localeCompare(a)));
  });

  it('as CSV, and the people inside, are 503 while identity does not answer, because they contain names; the list of visits is not', async () => {
    const separate = await startPlatform({ services: ['identity', 'gym'] });
    try {
      const token = await separate.demo('admin@iron.test');
      const { body: halls } = await separate.rest('gym', 'GET', '/locations', { token });
      const { id } = (halls as { id: string; name: string }[]).find(({ name }) => name === 'Forge') ?? {
        id: '',
      };
      const { qrCode } = await newMember(separate);
      await checkIn(separate, token, { qrCode, locationId: id });
      await separate.running('identity').stop();
      const answerOf = async (list: string) => {
        const { status, body } = await separate.rest('gym', 'GET', `/locations/${id}/${list}`, { token });
        return [status, body.code];
      };
      expect(await answerOf('people')).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
      expect(await answerOf('visits.csv')).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
      expect(await answerOf('visits')).toEqual([200, undefined]);
    } finally {
      await separate.stop();
    }
  });
});
