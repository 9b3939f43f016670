import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FeedReader } from '../events/support.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type GraphAnswer, type GraphPage, type TestPlatform } from '../support/platform.ts';
import { newMember, place } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
let gymId: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
  gymId = await newGym();
});
afterAll(() => platform.stop());

const HOUR_MILLIS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MILLIS).toISOString();
const call = (method: string, at: string, token: string, body?: object, ifMatch?: string) =>
  platform.rest('gym', method, at, {
    token,
    ...(body && { body }),
    ...(ifMatch && { headers: { 'if-match': ifMatch } }),
  });

async function newGym(): Promise<string> {
  const body = { name: 'Gym', slug: `gym-${randomUUID().slice(0, 8)}`, timezone: 'Europe/Berlin' };
  return (await call('POST', '/gyms', superAdmin, body)).body.id as string;
}

const create = async (change: object = {}) => {
  const answer = await call('POST', '/challenges', superAdmin, {
    gymId,
    title: 'Race',
    metric: 'CUSTOM',
    goal: 10,
    startsAt: inHours(-1),
    endsAt: inHours(1),
    ...change,
  });
  expect(answer.status).toBe(201);
  return answer.body;
};
const upcoming = (change: object = {}) => create({ startsAt: inHours(1), endsAt: inHours(2), ...change });
const ended = (hoursAgo: number) => create({ startsAt: inHours(-hoursAgo - 1), endsAt: inHours(-hoursAgo) });
const update = (id: string, body: object, ifMatch?: string) =>
  call('PUT', `/challenges/${id}`, superAdmin, body, ifMatch);
const listed = async (of: string, query: string) =>
  (await call('GET', `/challenges?gymId=${of}${query}`, superAdmin)).body as { id: string; title: string }[];

describe('a challenge', () => {
  it('is listed while it is upcoming, active and ended', async () => {
    gymId = await newGym();
    const [a, b] = [await create({ endsAt: inHours(3) }), await create()];
    const [c, d] = [await upcoming({ startsAt: inHours(1.5) }), await upcoming()];
    const past = [await ended(1), await ended(2), await ended(3)];
    const ids = (all: { id: string }[]) => all.map(({ id }) => id);
    expect(ids(await listed(gymId, ''))).toEqual([b.id, a.id]);
    expect(ids(await listed(gymId, '&status=ACTIVE'))).toEqual([b.id, a.id]);
    expect(ids(await listed(gymId, '&status=UPCOMING'))).toEqual([d.id, c.id]);
    expect(ids(await listed(gymId, '&status=ENDED'))).toEqual(ids(past));
    expect((await call('GET', `/challenges?gymId=${gymId}&status=LOST`, superAdmin)).status).toBe(400);
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: GraphAnswer<{ pastChallenges: GraphPage<{ id: string }> }> = await platform.graph(
        'gym',
        `query ($gymId: ID, $after: String) { challenges(gymId: $gymId, status: UPCOMING) { id }
         pastChallenges(gymId: $gymId, first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
        { gymId, after },
        { token: superAdmin },
      );
      const { nodes, pageInfo } = page.data.pastChallenges;
      seen.push(...ids(nodes));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    expect(seen).toEqual(ids(past));
  });

  it('that is upcoming can be changed by REST and in the graph, also its metric and its times, and changes are audited', async () => {
    const { id } = await upcoming();
    const change = {
      title: 'Rowing',
      metric: 'MINUTES',
      goal: 500,
      startsAt: inHours(5),
      endsAt: inHours(6),
    };
    expect((await update(id, change, '"1"')).body).toMatchObject({ ...change, version: 2 });
    expect((await update(id, { goal: 1 }, '"1"')).status).toBe(412);
    const { data } = await platform.graph(
      'gym',
      'mutation ($input: UpdateChallengeInput!) { updateChallenge(input: $input) { title goal metric version } }',
      { input: { id, goal: 600, version: 2 } },
      { token: superAdmin },
    );
    expect(data.updateChallenge).toEqual({ title: 'Rowing', goal: 600, metric: 'MINUTES', version: 3 });
    for (const [wrong, path] of [
      [{ startsAt: inHours(-1) }, 'startsAt'],
      [{ endsAt: inHours(1) }, 'endsAt'],
      [{ goal: 0 }, 'goal'],
      [{ recurrence: 'DAILY' }, 'recurrence'],
      [{ recurrence: 'MONTHLY', endsAt: inHours(40 * 24) }, 'recurrence'],
    ] as const)
      expect(await update(id, wrong)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    const audited = await platform.sql(
      'gym',
      `select action, details ->> 'challengeId' as id from audit_event where gym_id = $1 and details ->> 'challengeId' = $2 order by id`,
      [(await call('GET', `/challenges/${id}`, superAdmin)).body.gymId, id],
    );
    expect(audited).toEqual([
      { action: 'CHALLENGE_CREATED', id },
      { action: 'CHALLENGE_UPDATED', id },
      { action: 'CHALLENGE_UPDATED', id },
    ]);
  });

  it('that is active keeps its metric and its beginning', async () => {
    const { id, startsAt, metric } = await create();
    expect(await update(id, { metric: 'WORKOUTS' })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', errors: [{ path: 'metric' }] },
    });
    expect(await update(id, { startsAt: inHours(0.5) })).toMatchObject({
      status: 409,
      body: { errors: [{ path: 'startsAt' }] },
    });
    const allowed = { title: 'Longer', goal: 99, endsAt: inHours(9), startsAt, metric };
    expect((await update(id, allowed)).body).toMatchObject(allowed);
    expect((await update(id, { endsAt: inHours(-0.5) })).status).toBe(400);
  });

  it('that is deleted disappears if it is upcoming; if it is active, it ends and keeps its leaderboard', async () => {
    const [coming, running] = [await upcoming(), await create()];
    const feed = await new FeedReader(platform, 'gym', superAdmin).latest();
    const participant = await newMember(platform, running.gymId);
    for (const { id } of [coming, running]) await call('POST', `/challenges/${id}/join`, participant.token);
    await call('POST', `/challenges/${running.id}/progress`, participant.token, { amount: 7 });
    const remove = (id: string, token = superAdmin) => call('DELETE', `/challenges/${id}`, token);
    expect((await remove(running.id, participant.token)).status).toBe(403);
    expect((await call('DELETE', `/challenges/${running.id}`, superAdmin, undefined, '"9"')).status).toBe(
      412,
    );
    expect((await remove(coming.id)).status).toBe(204);
    expect((await remove(running.id)).status).toBe(204);
    expect((await call('GET', `/challenges/${coming.id}`, superAdmin)).status).toBe(404);
    const { body } = await call('GET', `/challenges/${running.id}`, participant.token);
    expect(Date.parse(body.endsAt)).toBeLessThanOrEqual(Date.now());
    expect(body).toMatchObject({ joined: true, score: 7, version: 2 });
    const event = await feed.until(({ subject }) => subject === `challenge/${running.id}`);
    expect(event).toMatchObject({ type: 'challenge.ended', data: { id: running.id, endsAt: body.endsAt } });
    await runScheduled(platform, 'gym', 'announce_ended_challenges');
    // The leaderboard of an ended challenge is final.
    expect((await call('POST', `/challenges/${running.id}/leave`, participant.token)).status).toBe(409);
    expect(
      (await call('POST', `/challenges/${running.id}/progress`, participant.token, { amount: 1 })).status,
    ).toBe(409);
    expect((await update(running.id, { title: 'Again' })).status).toBe(409);
    expect((await remove(running.id)).status).toBe(409);
    const board = await call('GET', `/challenges/${running.id}/leaderboard`, participant.token);
    expect(board.body).toMatchObject([{ userId: participant.id, score: 7 }]);
    await feed.read();
    expect(feed.events.filter(({ subject }) => subject === `challenge/${running.id}`)).toHaveLength(1);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: DeleteChallengeInput!) { deleteChallenge(input: $input) }',
      { input: { id: running.id } },
      { token: superAdmin },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
  });
});

describe('a challenge that recurs every month', () => {
  /** Runs the job three times at once. @returns the gym's challenges once there are `count`, and the last one is upcoming */
  const continued = async (of: string, count: number) => {
    await Promise.all(Array.from({ length: 3 }, () => runScheduled(platform, 'gym', 'continue_challenges')));
    return eventually(async () => {
      const all = await platform.sql<{ title: string; starts: string; ends: string; next: boolean }>(
        'gym',
        `select title, starts_at::text as starts, ends_at::text as ends, starts_at > now() as next from challenge
         where gym_id = $1 order by starts_at`,
        [of],
      );
      return all.length === count && all.at(-1)?.next && all;
    });
  };

  it('is continued by one next challenge once it has begun; if the next one is deleted, nothing replaces it', async () => {
    gymId = await newGym();
    await call('POST', '/locations', superAdmin, { ...place(), gymId });
    const first = await create({ recurrence: 'MONTHLY', title: 'Monthly' });
    expect(first).toMatchObject({ recurrence: 'MONTHLY', timezone: 'Europe/Berlin' });
    await continued(gymId, 2);
    const [next] = await listed(gymId, '&status=UPCOMING');
    expect(next).toMatchObject({
      title: 'Monthly',
      metric: 'CUSTOM',
      goal: 10,
      recurrence: 'MONTHLY',
      joined: false,
    });
    await continued(gymId, 2);
    // The next challenge can be changed or deleted like any other; nothing replaces it.
    expect((await update(next?.id ?? '', { title: 'Next month' })).status).toBe(200);
    expect((await call('DELETE', `/challenges/${next?.id}`, superAdmin)).status).toBe(204);
    await runScheduled(platform, 'gym', 'continue_challenges');
    expect(await listed(gymId, '&status=UPCOMING')).toEqual([]);
  });

  it.each([
    ['winter', '2026-01-31T23:00:00Z', '2026-02-28T23:00:00Z'],
    ['summer', '2026-06-30T22:00:00Z', '2026-07-31T22:00:00Z'],
  ])(
    'begins at midnight of the first day of every month if its first month is in %s, and past months are left out',
    async (_season, startsAt, endsAt) => {
      gymId = await newGym();
      const { id } = await create({ recurrence: 'MONTHLY', timezone: 'Europe/Berlin', startsAt, endsAt });
      await platform.sql('gym', 'update challenge set end_announced_at = now() where id = $1', [id]);
      const all = await continued(gymId, 3);
      const local = await platform.sql(
        'gym',
        `select to_char(starts_at at time zone 'Europe/Berlin', 'DD HH24:MI') as begins,
         to_char(ends_at at time zone 'Europe/Berlin', 'DD HH24:MI') as ends from challenge where gym_id = $1`,
        [gymId],
      );
      expect(all).toHaveLength(3);
      for (const times of local) expect(times).toEqual({ begins: '01 00:00', ends: '01 00:00' });
    },
  );

  it('is continued again if its next challenge was deleted and its recurrence is removed and set again', async () => {
    gymId = await newGym();
    const { id } = await create({ recurrence: 'MONTHLY' });
    await continued(gymId, 2);
    const [next] = await listed(gymId, '&status=UPCOMING');
    const again = async () => {
      for (const recurrence of [null, 'MONTHLY'])
        expect((await update(id, { recurrence })).body).toMatchObject({ recurrence });
      await runScheduled(platform, 'gym', 'continue_challenges');
    };
    await again();
    await continued(gymId, 2); // the next one is still there
    expect((await call('DELETE', `/challenges/${next?.id}`, superAdmin)).status).toBe(204);
    await again();
    await continued(gymId, 2);
  });

  it('no longer recurs once its recurrence is removed', async () => {
    gymId = await newGym();
    const { id } = await upcoming({ recurrence: 'MONTHLY' });
    expect((await update(id, { recurrence: null })).body).toMatchObject({ recurrence: null, timezone: null });
    await platform.sql('gym', `update challenge set starts_at = now() - interval '1 second' where id = $1`, [
      id,
    ]);
    const other = await newGym();
    gymId = other;
    await create({ recurrence: 'MONTHLY' });
    await continued(other, 2);
    const [left] = await platform.sql('gym', 'select continued_at from challenge where id = $1', [id]);
    expect(left).toEqual({ continued_at: null });
  });
});
