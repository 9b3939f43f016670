import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { statementsDuring } from '../support/statements.ts';
import { checkIn, heldCheckIns, newLocation, newMember } from './support.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const HOUR_MILLIS = 3_600_000;
const input = (change: object = {}) => ({
  title: `Challenge ${randomUUID()}`,
  metric: 'CUSTOM',
  goal: 100,
  startsAt: new Date(Date.now() - HOUR_MILLIS).toISOString(),
  endsAt: new Date(Date.now() + HOUR_MILLIS).toISOString(),
  ...change,
});
const create = async (change: object = {}) =>
  (await platform.rest('gym', 'POST', '/challenges', { token: staff, body: input(change) })).body;
const post = (token: string, path: string, body?: object) =>
  platform.rest('gym', 'POST', path, { token, ...(body && { body }) });
/** How many pages PostgreSQL reads for a statement. */
const pagesReadBy = async (text: string, values: readonly unknown[]): Promise<number> => {
  const [row] = await platform.sql('gym', `explain (analyze, buffers, format json) ${text}`, [...values]);
  const { Plan: plan } = row['QUERY PLAN'][0];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
};
const board = async (id: string, token = staff) =>
  (await platform.rest('gym', 'GET', `/challenges/${id}/leaderboard`, { token })).body;

describe('challenges', () => {
  it('are listed to users of their gym while they run', async () => {
    const [now, later] = [
      await create(),
      await create({ startsAt: new Date(Date.now() + HOUR_MILLIS / 2).toISOString() }),
    ];
    const listed = async (email: 'maya@iron.test' | 'zoe@aqua.test') =>
      (await platform.rest('gym', 'GET', '/challenges', { token: await platform.demo(email) })).body.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed('maya@iron.test')).toContain(now.id);
    expect(await listed('maya@iron.test')).not.toContain(later.id);
    expect(await listed('zoe@aqua.test')).not.toContain(now.id);
    expect(
      (
        await platform.rest('gym', 'GET', `/challenges/${now.id}`, {
          token: await platform.demo('zoe@aqua.test'),
        })
      ).status,
    ).toBe(404);
    const { data } = await platform.graph(
      'gym',
      '{ challenges { id joined score } gyms { slug challenges { id } } }',
      {},
      { token: await platform.demo('maya@iron.test') },
    );
    expect(data.challenges).toContainEqual({ id: now.id, joined: false, score: null });
    expect(data.gyms.find(({ slug }: { slug: string }) => slug === 'aqua-club').challenges).toBeNull();
  });

  it.each([
    ['maya@iron.test', {}, 403],
    ['admin@iron.test', { gymId: DEMO_GYMS.aquaClub.id }, 403],
    ['admin@iron.test', {}, 201],
    ['super@demo.test', { gymId: DEMO_GYMS.aquaClub.id }, 201],
  ] as const)('are created only by staff of the gym: %s %j', async (email, gym, status) => {
    expect((await post(await platform.demo(email), '/challenges', input(gym))).status).toBe(status);
  });

  it.each([
    { metric: 'SLEEP' },
    { goal: 0 },
    { endsAt: new Date(0).toISOString() },
    { title: ' ' },
    { startsAt: 'tomorrow' },
  ])('are refused with the path of the wrong field: %j', async (wrong) => {
    expect(await post(staff, '/challenges', input(wrong))).toMatchObject({
      status: 400,
      body: { errors: [{ path: Object.keys(wrong)[0] }] },
    });
  });

  it('add progress to the score only after joining, and cannot be joined after their end', async () => {
    const [maya, { id }] = [await platform.register(), await create()];
    expect((await post(maya.token, `/challenges/${id}/progress`, { amount: 5 })).status).toBe(409);
    expect((await post(maya.token, `/challenges/${id}/join`)).body).toMatchObject({ joined: true, score: 0 });
    expect((await post(maya.token, `/challenges/${id}/join`)).status).toBe(200);
    await Promise.all(
      Array.from({ length: 10 }, () => post(maya.token, `/challenges/${id}/progress`, { amount: 5 })),
    );
    expect((await platform.rest('gym', 'GET', `/challenges/${id}`, { token: maya.token })).body.score).toBe(
      50,
    );
    for (const amount of [0, -1, 1.5, 'many'])
      expect((await post(maya.token, `/challenges/${id}/progress`, { amount })).status).toBe(400);
    expect((await post(maya.token, `/challenges/${id}/leave`)).body).toMatchObject({
      joined: false,
      score: null,
    });
    expect(await board(id)).toEqual([]);
    const over = await create({
      startsAt: new Date(Date.now() - 2 * HOUR_MILLIS).toISOString(),
      endsAt: new Date(Date.now() - HOUR_MILLIS).toISOString(),
    });
    expect((await post(maya.token, `/challenges/${over.id}/join`)).status).toBe(409);
  });

  it('rank by score, and of equal scores the earlier one ranks higher', async () => {
    const { id } = await create();
    const [ada, bea, cle, dan] = await Promise.all([
      platform.register(),
      platform.register(),
      platform.register(),
      platform.register(),
    ]);
    for (const { token } of [ada, bea, cle, dan]) await post(token, `/challenges/${id}/join`);
    for (const [{ token }, amount] of [
      [cle, 7],
      [ada, 7],
      [bea, 9],
      [dan, 3],
      [dan, 4],
    ] as const)
      await post(token, `/challenges/${id}/progress`, { amount });
    expect(
      (await board(id)).map(({ rank, userId, score }: { rank: number; userId: string; score: number }) => [
        rank,
        userId,
        score,
      ]),
    ).toEqual([
      [1, bea.id, 9],
      [2, cle.id, 7],
      [3, ada.id, 7],
      [4, dan.id, 7],
    ]);
    const query =
      'query ($id: ID!) { challenge(id: $id) { ownRank { rank score } leaderboard(first: 2) { nodes { rank user { id } } pageInfo { hasNextPage endCursor } } } }';
    const { data } = await platform.graph('gym', query, { id }, { token: dan.token });
    expect(data.challenge).toMatchObject({
      ownRank: { rank: 4, score: 7 },
      leaderboard: {
        nodes: [{ rank: 1, user: { id: bea.id } }, { rank: 2 }],
        pageInfo: { hasNextPage: true },
      },
    });
    const next = await platform.graph(
      'gym',
      'query ($id: ID!, $after: String) { challenge(id: $id) { leaderboard(after: $after) { nodes { rank user { id } } } } }',
      { id, after: data.challenge.leaderboard.pageInfo.endCursor },
      { token: dan.token },
    );
    expect(next.data.challenge.leaderboard.nodes).toEqual([
      { rank: 3, user: { id: ada.id } },
      { rank: 4, user: { id: dan.id } },
    ]);
  });

  it('count visits automatically, also those before joining, but not undone visits', async () => {
    const { id } = await create({ metric: 'CHECK_INS', goal: 3 });
    const { token, id: userId } = await platform.register();
    const { qrCode } = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    const halls = await Promise.all(
      [1, 2, 3].map(
        async () =>
          (await post(staff, '/locations', { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 9 }))
            .body.id,
      ),
    );
    const enter = async (locationId: string) =>
      (await post(token, '/locations/check-in', { qrCode, locationId })).body;
    const score = async () => (await platform.rest('gym', 'GET', `/challenges/${id}`, { token })).body.score;
    await enter(halls[0]);
    await post(token, `/challenges/${id}/join`);
    expect(await score()).toBe(1);
    await enter(halls[1]);
    const third = await enter(halls[2]);
    await enter(halls[2]); // a second scan opens no visit
    expect(await score()).toBe(3);
    expect((await post(token, `/challenges/${id}/progress`, { amount: 1 })).status).toBe(409);
    await platform.rest('gym', 'DELETE', `/check-ins/${third.id}`, { token: staff });
    expect(await score()).toBe(2);
    expect(await board(id)).toMatchObject([{ rank: 1, userId, score: 2 }]);
  });

  it('count a visit that commits while its member joins, or while another visit is undone', async () => {
    const { id } = await create({ metric: 'CHECK_INS', goal: 3 });
    const { token, qrCode } = await newMember(platform);
    const [first, second] = [await newLocation(platform, staff), await newLocation(platform, staff)];
    const score = async () => (await platform.rest('gym', 'GET', `/challenges/${id}`, { token })).body.score;
    /** Runs `other` while the transaction of a check-in is complete, but not committed. */
    const during = async (locationId: string, other: () => Promise<RestAnswer>) => {
      const held = await heldCheckIns(platform);
      try {
        const visit = checkIn(platform, token, { qrCode, locationId });
        await eventually(async () => (await held.waiting()) === 1);
        let isDone = false;
        const done = other().finally(() => (isDone = true));
        await eventually(async () => isDone || (await held.waiting()) === 2);
        await held.release();
        expect((await done).status).toBeLessThan(300);
        return (await visit).body;
      } finally {
        await held.end();
      }
    };
    const visit = await during(first, () => post(token, `/challenges/${id}/join`));
    expect(await score()).toBe(1);
    await during(second, () => platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token: staff }));
    expect(await score()).toBe(1);
  });

  it('return pages and ranks of 50,000 participants without reading all of them', async () => {
    const { id } = await create();
    const { token, id: userId } = await platform.register();
    await post(token, `/challenges/${id}/join`);
    // On a busy machine this takes longer than the time limit of a statement.
    await platform.sql(
      'gym',
      `set statement_timeout = 0;
       insert into challenge_participant (challenge_id, user_id, score, reached_at, joined_at)
       select '${id}', gen_random_uuid(), (random() * 2000)::int, date_trunc('milliseconds', now() - random() * interval '1 hour'), now()
       from generate_series(1, 50000)`,
    );
    // Also removes the old versions of the rows of `challenge_score_count`, each of which this transaction has changed often.
    await platform.sql('gym', 'vacuum (full, analyze) challenge_participant, challenge_score_count');
    const ranked = await platform.sql(
      'gym',
      `select user_id as "userId", row_number() over (order by score desc, reached_at, user_id)::int as rank
       from challenge_participant where challenge_id = $1`,
      [id],
    );
    const sent = await statementsDuring(async () => {
      const first = await platform.rest('gym', 'GET', `/challenges/${id}/leaderboard`, { token });
      const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const { body: next } = await platform.rest('gym', 'GET', link, { token });
      const pages = [...first.body, ...next].map(({ rank, ...entry }) => ({ userId: entry.userId, rank }));
      expect(pages).toEqual(ranked.slice(0, 100));
      const query = 'query ($id: ID!) { challenge(id: $id) { ownRank { rank } } }';
      const { data } = await platform.graph('gym', query, { id }, { token });
      expect(data.challenge.ownRank.rank).toBe(ranked.find((one) => one.userId === userId)?.rank);
    });
    const own = sent.filter(({ text }) => /\bchallenge_(participant|score_count)\b/.test(text));
    expect(own.length).toBeGreaterThanOrEqual(5); // two pages, the rank of the second one, the own entry and its rank
    const read = [];
    for (const { text, values } of own) read.push({ text, pages: await pagesReadBy(text, values) });
    expect(read.filter(({ pages }) => pages >= 100)).toEqual([]);
  });
});

describe('progress in a CUSTOM challenge', () => {
  it('is at most the goal, and reaching it a second time does not change the rank', async () => {
    const id = (await create({ goal: 10 })).id;
    const [ana, ben] = [await platform.register(), await platform.register()];
    for (const { token } of [ana, ben]) await post(token, `/challenges/${id}/join`);
    for (const { token } of [ana, ben, ana])
      expect((await post(token, `/challenges/${id}/progress`, { amount: 50 })).body.score).toBe(10);
    expect((await board(id)).map(({ userId }: { userId: string }) => userId)).toEqual([ana.id, ben.id]);
  });

  it('is corrected by staff, which is audited', async () => {
    const id = (await create({ goal: 1_000 })).id;
    const [ana, ben] = [await platform.register(), await platform.register()];
    await post(ana.token, `/challenges/${id}/join`);
    const score = async () =>
      (await platform.rest('gym', 'GET', `/challenges/${id}`, { token: ana.token })).body.score;
    const correct = (token: string, body: object) => post(token, `/challenges/${id}/progress`, body);
    expect((await correct(staff, { userId: ana.id, amount: 30 })).status).toBe(200);
    expect((await correct(staff, { userId: ana.id, amount: -10 })).status).toBe(200);
    expect(await score()).toBe(20);
    expect((await correct(staff, { userId: ana.id, amount: -100 })).status).toBe(200);
    expect(await score()).toBe(0);
    expect((await correct(staff, { userId: ben.id, amount: 5 })).status).toBe(409);
    expect((await correct(ben.token, { userId: ana.id, amount: 5 })).status).toBe(403);
    expect((await correct(ana.token, { userId: ana.id, amount: -5 })).status).toBe(400);
    expect((await correct(ana.token, { userId: ana.id, amount: 5 })).body.score).toBe(5);
    expect(
      (await correct(await platform.demo('admin@aqua.test'), { userId: ana.id, amount: 5 })).status,
    ).toBe(404);
    const { body } = await platform.rest('gym', 'GET', '/audit?action=CHALLENGE_CORRECTED', { token: staff });
    expect(
      body.filter(({ details }: { details: { challengeId: string } }) => details.challengeId === id),
    ).toHaveLength(3);
  });
});
