import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { PlanNode } from '../support/index-use.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { statementsDuring } from '../support/statements.ts';
import { register, someone } from './support.ts';

let platform: TestPlatform;
let staff: string;
const { ironTemple, aquaClub } = DEMO_GYMS;

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  for (const [displayName, gymId] of [
    ['Zoë Ängström', ironTemple.id],
    ['JÖRG MÜLLER', ironTemple.id],
    ['Percent 100% Pam', ironTemple.id],
    ['Under_score Uma', ironTemple.id],
    ['Back\\slash Bo', ironTemple.id],
    ['Full width ５％', ironTemple.id],
    ['Жанна Иванова', ironTemple.id],
    ['Zoë of the pool', aquaClub.id],
  ] as const)
    await register(platform, someone({ displayName, gymId }));
});
afterAll(() => platform.stop());

const find = async (query: Record<string, string>, token = staff) => {
  const { status, body } = await platform.rest(
    'identity',
    'GET',
    `/users/all?${new URLSearchParams(query).toString()}`,
    { token },
  );
  return {
    status,
    names: status === 200 ? body.map((user: { displayName: string }) => user.displayName) : [],
  };
};

describe('a search of users', () => {
  it.each([
    ['zoe ang', ['Zoë Ängström']],
    ['ÄNGSTRÖM', ['Zoë Ängström']],
    ['jorg mull', ['JÖRG MÜLLER']],
    ['müller', ['JÖRG MÜLLER']],
    ['0%', ['Percent 100% Pam']],
    ['%', ['Percent 100% Pam', 'Full width ５％']],
    ['％', ['Percent 100% Pam', 'Full width ５％']],
    ['_', ['Under_score Uma']],
    ['\\', ['Back\\slash Bo']],
    ['жанна', ['Жанна Иванова']],
    ['maya@IRON', ['Maya']],
    ['nobody has this', []],
    ['a\u0000b', []],
    ["'; drop table user_account; --", []],
  ])('for %j finds the users whose name or email contains it: %j', async (search, expected) => {
    const { status, names } = await find({ search });
    expect([status, names]).toEqual([200, expected]);
    const { data } = await platform.graph(
      'identity',
      'query Find($search: String) { users(search: $search) { nodes { displayName } } }',
      { search },
      { token: staff },
    );
    expect(data.users.nodes.map((user: { displayName: string }) => user.displayName)).toEqual(expected);
  });

  it('of only spaces finds everybody, and one of 201 characters is refused', async () => {
    expect((await find({ search: '  ' })).names).toEqual((await find({})).names);
    expect((await find({ search: 'x'.repeat(200) })).status).toBe(200);
    expect((await find({ search: 'x'.repeat(201) })).status).toBe(400);
  });

  it('finds the users of all gyms only for a SUPER_ADMIN', async () => {
    const superAdmin = await platform.demo('super@demo.test');
    expect((await find({ search: 'zoë' }, superAdmin)).names).toEqual(
      expect.arrayContaining(['Zoë Ängström', 'Zoë of the pool']),
    );
    expect((await find({ search: 'pool' })).names).toEqual([]);
  });
});

describe('the filter by status', () => {
  it('returns the users whose membership of the gym has this status, at most as many as the limit', async () => {
    const members = await Promise.all([1, 2, 3].map(() => platform.register()));
    for (const { id } of members)
      await platform.rest('identity', 'PUT', `/users/${id}/membership`, {
        token: staff,
        body: { status: 'FROZEN' },
      });
    const { body } = await platform.rest('identity', 'GET', '/users/all?status=FROZEN&limit=2', {
      token: staff,
    });
    expect(body).toHaveLength(2);
    expect((await find({ status: 'FROZEN' })).names).toHaveLength(3);
    expect((await find({ status: 'ENDED' })).names).toEqual([]);
    expect((await find({ status: 'GONE' })).status).toBe(400);
  });
});

describe('with many users', () => {
  beforeAll(async () => {
    await platform.sql(
      'identity',
      `insert into user_account (id, email, display_name, role, gym_id, membership_gym_id, membership_status, membership_since, qr_code, created_at, updated_at)
       select gen_random_uuid(), 'many-' || n || '@example.test', md5(n::text), 'MEMBER',
         case when n % 50 > 0 then gym end, gym, case when n % 50 > 0 then 'ACTIVE' else 'ENDED' end, now(), 'many-' || n, now(), now()
       from generate_series(1, 20000) as n, lateral (select case when n % 10 = 0 then $1::uuid else gen_random_uuid() end as gym) as gyms`,
      [aquaClub.id],
    );
    await platform.sql('identity', 'vacuum analyze user_account');
  });

  it.each([
    ['a search in all gyms', 'user_account_search', { search: 'c4ca4238' }],
    ['the users of a gym', 'user_account_membership_gym_id_id_index', { gymId: aquaClub.id }],
    [
      'the users of a gym with a status',
      'user_account_membership_gym_id_membership_status_id_index',
      { gymId: aquaClub.id, status: 'ENDED' },
    ],
    ['the users of all gyms with a status', 'user_account_not_active', { status: 'ENDED' }],
  ])('%s is read by the index %s', async (_what, index, query) => {
    const token = await platform.demo('super@demo.test');
    const statements = await statementsDuring(async () => {
      expect((await find(query, token)).status).toBe(200);
    });
    const list = statements.find(({ text }) => text.includes('from user_account where true'));
    const [row] = await platform.sql('identity', `explain (format json) ${list?.text}`, [
      ...(list?.values ?? []),
    ]);
    const used = indexesIn(row['QUERY PLAN'][0].Plan);
    expect(used).toContain(index);
  });
});

const indexesIn = (node: PlanNode): string[] => [
  ...(node['Index Name'] ? [node['Index Name']] : []),
  ...(node.Plans ?? []).flatMap(indexesIn),
];
