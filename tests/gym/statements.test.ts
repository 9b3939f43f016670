import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { selectsDuring, statementsDuring } from '../support/statements.ts';
import { checkIn, newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const { ironTemple } = DEMO_GYMS;

/**
 * The number of SELECT statements of an operation on these tables, without those of the job that ends expired visits;
 * and the data of the answer.
 */
async function statements(query: string, variables: object, tables: RegExp): Promise<[number, unknown]> {
  let answer: unknown;
  const sent = await selectsDuring(async () => {
    const { data, errors } = await platform.graph('gym', query, variables, { token: staff });
    expect(errors).toBeUndefined();
    answer = data;
  });
  return [sent.filter((text) => tables.test(text) && !/expires_at <= now\(\) for/.test(text)).length, answer];
}

describe('visits of many users', () => {
  it('are read by one statement: the newest visits of each user in the gym that the viewer manages', async () => {
    const users = await platform.sql(
      'gym',
      `with person as (select gen_random_uuid() as id, n from generate_series(1, 40) n)
       insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, check_out_kind, method)
       select gen_random_uuid(), person.id, location.gym_id, location.id, now() - visit * interval '1 day', now(), now() - visit * interval '1 day',
         case when visit = 2 then 'UNDONE' else 'MANUAL' end, 'QR'
       from person, generate_series(1, person.n % 7) visit, location
       where location.name in ('Forge', 'Harbour') returning user_id`,
    );
    const ids = [...new Set(users.map(({ user_id }) => user_id as string))];
    const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { id checkIns(first: 3) {
      nodes { gymId checkedInAt location { name } } pageInfo { hasNextPage endCursor } } } } }`;
    const read = (count: number) =>
      statements(query, { of: ids.slice(0, count).map((id) => ({ __typename: 'User', id })) }, /check_in/);
    const [[few], [many, data]] = [await read(2), await read(ids.length)];
    expect([few, many]).toEqual([1, 1]);
    const stored = await platform.sql(
      'gym',
      `select user_id, count(*)::int as visits from check_in
       where gym_id = $1 and check_out_kind is distinct from 'UNDONE' group by 1`,
      [ironTemple.id],
    );
    const visitsOf = new Map(stored.map(({ user_id, visits }) => [user_id, visits as number]));
    interface Shown {
      id: string;
      checkIns: { nodes: { gymId: string; checkedInAt: string }[]; pageInfo: { hasNextPage: boolean } };
    }
    for (const { id, checkIns } of (data as { _entities: Shown[] })._entities) {
      const count = visitsOf.get(id) ?? 0;
      expect(checkIns.nodes).toHaveLength(Math.min(count, 3));
      expect(checkIns.pageInfo.hasNextPage).toBe(count > 3);
      const times = checkIns.nodes.map(({ checkedInAt }) => checkedInAt);
      expect(times).toEqual(times.toSorted().toReversed());
      expect(new Set(checkIns.nodes.map(({ gymId }) => gymId)).size).toBeLessThanOrEqual(1);
    }
  });
});

describe('a check-in', () => {
  it('takes a transaction of seven statements, and one more if the member moves from another location', async () => {
    const member = await newMember(platform);
    const halls = [await newLocation(platform, staff), await newLocation(platform, staff)];
    for (const [index, hall] of halls.entries()) {
      const sent = await statementsDuring(async () => {
        const { status } = await checkIn(platform, member.token, { qrCode: member.qrCode, locationId: hall });
        expect(status).toBe(201);
      });
      // The connection of the transaction: the other ones send statements of background work.
      const { connection } = sent.find(({ text }) => text.includes('insert into check_in')) ?? {};
      const own = sent.filter((one) => one.connection === connection).map(({ text }) => text);
      const write = own.findIndex((text) => text.includes('insert into check_in'));
      const transaction = own.slice(own.lastIndexOf('begin', write), own.indexOf('commit', write) + 1);
      expect(transaction.map((text) => /^\w+(?: \w+)?/.exec(text)?.[0])).toEqual([
        'begin',
        'with member',
        'select id',
        'with due',
        'with moved',
        ...(index > 0 ? ['select location_id'] : []), // the people who are still inside the other location
        'insert into',
        'commit',
      ]);
    }
  });
});

describe('leaderboards and own ranks of many challenges', () => {
  it('take the same number of statements for 2 challenges and for 20, with the right entries for each', async () => {
    const { id: self } = (await platform.rest('identity', 'GET', '/users/me', { token: staff })).body;
    const challenges = await platform.sql(
      'gym',
      `insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at)
       select gen_random_uuid(), $1, 'Race ' || n, 'CUSTOM', 9, now() - interval '1 day', now() + interval '1 day', now()
       from generate_series(1, 20) n returning id`,
      [ironTemple.id],
    );
    const ids = challenges.map(({ id }) => id as string);
    await platform.sql(
      'gym',
      `insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at)
       select id, gen_random_uuid(), (random() * 5)::int, now() - random() * interval '1 hour', now() from unnest($1::uuid[]) id, generate_series(1, 30)
       union all select id, $2::uuid, (random() * 5)::int, now() - random() * interval '1 hour', now() from unnest($1::uuid[]) id`,
      [ids, self],
    );
    const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Challenge { id ownRank { rank score }
      leaderboard(first: 4) { nodes { rank score userId } } } } }`;
    const read = (count: number) =>
      statements(
        query,
        { of: ids.slice(0, count).map((id) => ({ __typename: 'Challenge', id })) },
        /challenge/,
      );
    const [[few], [many, data]] = [await read(2), await read(20)];
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(5);

    interface Place {
      rank: number;
      score: number;
      userId: string;
    }
    const shown = (data as { _entities: { id: string; ownRank: Place; leaderboard: { nodes: Place[] } }[] })
      ._entities;
    for (const { id, ownRank, leaderboard } of shown) {
      const places: Place[] = await platform.sql(
        'gym',
        `select rank() over (order by score desc, reached_at, user_id)::int as rank, score, user_id as "userId"
         from challenge_participant where challenge_id = $1 order by rank`,
        [id],
      );
      expect(leaderboard.nodes).toEqual(places.slice(0, 4));
      expect(places.find(({ userId }) => userId === self)).toMatchObject(ownRank);
    }
  });

  it('are current in an operation that changes them', async () => {
    const [{ id }] = await platform.sql(
      'gym',
      `insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at)
       values (gen_random_uuid(), $1, 'Now', 'CUSTOM', 9, now() - interval '1 day', now() + interval '1 day', now()) returning id`,
      [ironTemple.id],
    );
    const { data } = await platform.graph(
      'gym',
      `mutation ($id: ID!) {
        join: joinChallenge(id: $id) { score leaderboard { nodes { score } } ownRank { score } }
        add: addChallengeProgress(id: $id, amount: 7) { score leaderboard { nodes { score } } ownRank { score } }
        leave: leaveChallenge(id: $id) { score leaderboard { nodes { score } } ownRank { score } }
      }`,
      { id },
      { token: staff },
    );
    const at = (score: number) => ({ score, leaderboard: { nodes: [{ score }] }, ownRank: { score } });
    expect(data).toEqual({
      join: at(0),
      add: at(7),
      leave: { score: null, leaderboard: { nodes: [] }, ownRank: null },
    });
  });
});
