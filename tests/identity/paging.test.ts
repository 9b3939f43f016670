import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';

const USERS = 20_000;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
  await platform.sql(
    'identity',
    `insert into user_account (id, email, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, qr_code, created_at, updated_at)
     select id, email, display_name, 'MEMBER', gym_id, gym_id, 'ACTIVE', now(), qr_code, now(), now() from (select overlay(gen_random_uuid()::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id, 'many-' || n || '@example.test' as email, 'Many ' || n as display_name,
       case when n % 10 = 0 then $1::uuid else gen_random_uuid() end as gym_id, 'many-' || n as qr_code
     from generate_series(1, ${USERS}) n) as many`,
    [DEMO_GYMS.aquaClub.id],
  );
  await platform.sql('identity', 'analyze user_account');
});
afterAll(() => platform.stop());

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Each node of the query plan of a page. */
async function planOf(where: string, values: unknown[]): Promise<Plan[]> {
  const [row] = await platform.sql(
    'identity',
    `explain (analyze, format json) select * from user_account where ${where} order by id limit 51`,
    values,
  );
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  return nodes(row['QUERY PLAN'][0].Plan);
}

it.each([
  ['the first page of all', 'true', (): unknown[] => [], 'user_account_pkey'],
  ['the middle of all', 'id > $1', () => ['80000000-0000-4000-8000-000000000000'], 'user_account_pkey'],
  ['the end of all', 'id > $1', () => ['ff000000-0000-4000-8000-000000000000'], 'user_account_pkey'],
  [
    'the first page of a gym',
    'membership_gym_id = $1',
    () => [DEMO_GYMS.aquaClub.id],
    'user_account_membership_gym_id_id_index',
  ],
  [
    'the end of a gym',
    'membership_gym_id = $1 and id > $2',
    () => [DEMO_GYMS.aquaClub.id, 'ff000000-0000-4000-8000-000000000000'],
    'user_account_membership_gym_id_id_index',
  ],
])('reads %s from an index, and only as many rows as the page has', async (_what, where, values, index) => {
  const nodes = await planOf(where, values());
  const scan = nodes.at(-1);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  expect(scan).toMatchObject({ 'Index Name': index });
  expect(scan?.['Actual Rows']).toBeLessThanOrEqual(51);
  expect(scan?.['Rows Removed by Filter'] ?? 0).toBe(0);
});

it('returns every user of a large gym once, page by page', async () => {
  const token = await platform.demo('admin@aqua.test');
  const seen = new Set<string>();
  let count = 0;
  for (let next: string | undefined = '/users/all?limit=200'; next;) {
    const { body, headers }: RestAnswer<UserShape[]> = await platform.rest('identity', 'GET', next, {
      token,
    });
    for (const { id } of body) seen.add(id);
    count += body.length;
    next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(count).toBe(seen.size);
  expect(count).toBe(USERS / 10 + 2);
});
