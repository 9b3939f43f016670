import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { checkIn, newLocation, newMember, peopleInside, type Member } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

/** Inserts members into identity's table, because registrations would take longer: each hashes a password. */
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
const people = (id: string) => peopleInside(platform, staff, id);

describe('simultaneous check-ins', () => {
  it('let exactly 50 of 200 members into a location for 50, at two replicas, and store 150 denials', async () => {
    const [replica, hall, crowd] = [
      await platform.replica('gym'),
      await newLocation(platform, staff, { capacity: 50 }),
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
    // One caller causes at most 60 rows in an hour; the last of these rows also counts the further denials.
    expect(
      await platform.sql(
        'gym',
        'select sum(count)::int as denials, count(*) <= 60 as "isBounded" from check_in_denial where location_id = $1',
        [hall],
      ),
    ).toEqual([{ denials: 150, isBounded: true }]);
  });

  it('open one visit for 50 scans of one member, and leave one visit open after 20 scans at two locations', async () => {
    const [maya, forge, anvil] = [
      await newMember(platform),
      await newLocation(platform, staff),
      await newLocation(platform, staff),
    ];
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: forge }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: i % 2 ? forge : anvil }),
      ),
    );
    expect((await people(forge)) + (await people(anvil))).toBe(1);
  });
});
