import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { clientToken, FeedReader } from '../events/support.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], env: { LOG_LEVEL: 'error' } });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ago = (millis: number): string => new Date(Date.now() - millis).toISOString();

const gym = (method: string, path: string, token: string, body?: object) =>
  platform.rest('gym', method, path, { token, ...(body && { body }) });
const content = (method: string, path: string, token: string, body?: object) =>
  platform.rest('content', method, path, { token, ...(body && { body }) });

/** Creates a challenge from two days ago to tomorrow, and returns its id. */
const challenge = async (metric: string, change: object = {}): Promise<string> => {
  const { body, status } = await gym('POST', '/challenges', staff, {
    title: `Challenge ${randomUUID()}`,
    metric,
    goal: 1_000,
    startsAt: ago(48 * HOUR),
    endsAt: ago(-24 * HOUR),
    ...change,
  });
  expect(status).toBe(201);
  return body.id;
};
/** Logs a training that began `began` minutes ago and lasted `lasted` minutes; returns its id. */
const log = async (token: string, began: number, lasted: number, change: object = {}): Promise<string> => {
  const { body, status } = await content('POST', '/trainings', token, {
    startedAt: ago(began * MINUTE),
    endedAt: ago((began - lasted) * MINUTE),
    ...change,
  });
  expect(status).toBe(201);
  return body.id;
};
/** Imports a training of an hour that began `began` minutes ago. */
const importOne = async (token: string, began: number): Promise<void> => {
  const row = `${ago(began * MINUTE)},${ago((began - 60) * MINUTE)},Old,Bench,5,60`;
  const { status } = await platform.rest('content', 'POST', '/trainings/import', {
    token,
    body: `startedAt,endedAt,title,exercise,reps,weightKg\n${row}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  expect(status).toBeLessThan(300);
};
const join = async (id: string, token: string) => (await gym('POST', `/challenges/${id}/join`, token)).body;
const scoreOf = async (id: string, token: string): Promise<number> =>
  (await gym('GET', `/challenges/${id}`, token)).body.score;
const reaches = (id: string, token: string, score: number) =>
  eventually(async () => (await scoreOf(id, token)) === score, 20_000).catch(async () =>
    expect(await scoreOf(id, token)).toBe(score),
  );

describe('challenges that count trainings', () => {
  it('do not begin or end outside of the years that services exchange, also if only the offset leads there', async () => {
    for (const change of [
      { startsAt: '1900-01-01T00:00:00+01:00' },
      { endsAt: '2999-12-31T23:00:00-02:00' },
    ]) {
      const { status } = await gym('POST', '/challenges', staff, {
        title: 'Boundary',
        metric: 'WORKOUTS',
        goal: 10,
        startsAt: ago(HOUR),
        endsAt: ago(-HOUR),
        ...change,
      });
      expect(status).toBe(400);
    }
  });

  it('are counted, also if the content service refuses to count another one', async () => {
    const { token } = await platform.register();
    const [refused, ordinary] = [await challenge('WORKOUTS'), await challenge('WORKOUTS')];
    await platform.sql('gym', `update challenge set starts_at = '1899-12-31T23:00:00Z' where id = $1`, [
      refused,
    ]);
    for (const id of [refused, ordinary]) await join(id, token);
    await log(token, 100, 60);
    await reaches(ordinary, token, 1);
    expect(await scoreOf(refused, token)).toBe(0);
    await platform.sql('gym', 'update challenge set starts_at = now() where id = $1', [refused]);
  });

  it('count trainings that are logged, changed, deleted and imported', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    for (const id of [workouts, minutes])
      expect(await join(id, token)).toMatchObject({ joined: true, score: 0 });
    const first = await log(token, 300, 60);
    await log(token, 200, 45, { minutes: 30 });
    await reaches(minutes, token, 90);
    await reaches(workouts, token, 2);
    await content('PUT', `/trainings/${first}`, token, { endedAt: ago(260 * MINUTE) });
    await reaches(minutes, token, 70);
    await content('PUT', `/trainings/${first}`, token, {
      startedAt: ago(100 * HOUR),
      endedAt: ago(99 * HOUR),
    });
    await reaches(minutes, token, 30);
    await reaches(workouts, token, 1);
    await importOne(token, 20 * 60);
    await reaches(minutes, token, 90);
    const { body: all } = await content('GET', '/trainings', token);
    for (const { id } of all) expect((await content('DELETE', `/trainings/${id}`, token)).status).toBe(204);
    await reaches(workouts, token, 0);
    await reaches(minutes, token, 0);
  });

  it('count trainings since their start, also those before joining, and no earlier ones', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    await log(token, 50 * 60, 60);
    await log(token, 47 * 60, 60);
    await log(token, 120, 20);
    expect(await join(workouts, token)).toMatchObject({ score: 2 });
    expect(await join(minutes, token)).toMatchObject({ score: 80 });
    const { body } = await gym('GET', `/challenges/${workouts}/leaderboard`, token);
    expect(Date.parse(body[0].reachedAt)).toBeLessThan(Date.now() - 90 * MINUTE);
  });

  it('count a training only after its end, also if the end was logged in advance', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    for (const id of [workouts, minutes]) await join(id, token);
    const { body: running } = await content('POST', '/trainings', token, { startedAt: ago(40 * MINUTE) });
    const ahead = await log(token, 60, 120);
    await log(token, 600, 10);
    await reaches(minutes, token, 10);
    expect(await scoreOf(workouts, token)).toBe(1);
    await content('PUT', `/trainings/${running.id}`, token, { endedAt: ago(10 * MINUTE) });
    await reaches(minutes, token, 40);
    await content('PUT', `/trainings/${running.id}`, token, { endedAt: null });
    await reaches(minutes, token, 10);
    const rows = await platform.sql(
      'gym',
      'select recount_at > now() as waits from challenge_participant where challenge_id = $1',
      [minutes],
    );
    expect(rows).toEqual([{ waits: true }]);
    // Simulates that two hours pass.
    await platform.sql(
      'content',
      `update training set started_at = started_at - interval '2 hours', ended_at = ended_at - interval '2 hours' where id = $1`,
      [ahead],
    );
    await platform.sql('gym', 'update challenge_participant set recount_at = now() where challenge_id = $1', [
      minutes,
    ]);
    await runScheduled(platform, 'gym', 'count_trainings');
    await reaches(minutes, token, 130);
  });

  it('count overlapping trainings once for MINUTES, and each for WORKOUTS', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    await log(token, 300, 60); // 60
    await log(token, 270, 60); // 30 more
    await log(token, 290, 10); // none more: inside the first
    await log(token, 200, 60, { minutes: 20 });
    await log(token, 200, 60, { minutes: 20 }); // the same again: 20 together
    expect(await join(workouts, token)).toMatchObject({ score: 5 });
    expect(await join(minutes, token)).toMatchObject({ score: 110 });
  });

  it('keep their final scores: trainings that are logged, imported or deleted after the end do not change them', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    for (const id of [workouts, minutes]) await join(id, token);
    const first = await log(token, 300, 45);
    await reaches(minutes, token, 45);
    await reaches(workouts, token, 1);
    for (const id of [workouts, minutes])
      expect((await gym('DELETE', `/challenges/${id}`, staff)).status).toBe(204);
    const other = await challenge('MINUTES');
    await join(other, token);
    await log(token, 200, 30);
    await importOne(token, 20 * 60);
    await reaches(other, token, 135);
    const finalScores = async () => [await scoreOf(minutes, token), await scoreOf(workouts, token)];
    expect(await finalScores()).toEqual([45, 1]);
    await content('DELETE', `/trainings/${first}`, token);
    await reaches(other, token, 90);
    expect(await finalScores()).toEqual([45, 1]);
    expect((await gym('POST', `/challenges/${minutes}/recount`, superAdmin)).status).toBe(409);
  });

  it('count what was logged before the end although its event is collected later, and nothing that was logged after it', async () => {
    const { token, id: userId } = await platform.register();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    // This has the effect of an event from before the end that is collected late: the score is counted after the end.
    await platform.sql('gym', 'update challenge set ends_at = now() where id = $1', [minutes]);
    await log(token, 100, 20);
    await importOne(token, 20 * 60);
    await platform.sql(
      'gym',
      `update challenge_participant set score = 0, recount_mark = gen_random_uuid(), recount_at = now() where challenge_id = $1 and user_id = $2`,
      [minutes, userId],
    );
    await runScheduled(platform, 'gym', 'count_trainings');
    await reaches(minutes, token, 60);
    expect(await scoreOf(minutes, token)).toBe(60);
  });

  it('are counted again every day, by a SUPER_ADMIN, and after an invalid cursor, because events may have been missed', async () => {
    const { token, id: userId } = await platform.register();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    const miss = () =>
      platform.sql(
        'gym',
        'update challenge_participant set score = 7 where challenge_id = $1 and user_id = $2',
        [minutes, userId],
      );
    await miss();
    await runScheduled(platform, 'gym', 'recount_trainings');
    await reaches(minutes, token, 60);
    await miss();
    expect((await gym('POST', `/challenges/${minutes}/recount`, staff)).status).toBe(403);
    expect((await gym('POST', `/challenges/${minutes}/recount`, superAdmin)).body).toEqual({
      participants: 1,
    });
    await reaches(minutes, token, 60);
    await miss();
    const query = 'mutation ($id: ID!) { recountChallenge(id: $id) }';
    const { data } = await platform.graph('gym', query, { id: minutes }, { token: superAdmin });
    expect(data.recountChallenge).toBe(1);
    await reaches(minutes, token, 60);
    expect((await gym('POST', `/challenges/${await challenge('CUSTOM')}/recount`, superAdmin)).status).toBe(
      409,
    );
    // This has the effect of a cursor that is no longer valid, because it is too old.
    await miss();
    await platform.sql('gym', `update collected_feed set cursor = 'lost' where service = 'content'`);
    await runScheduled(platform, 'gym', 'collect_events');
    await reaches(minutes, token, 60);
  });

  it('can be joined while the content service is down, and are counted once it runs again', async () => {
    const { token } = await platform.register();
    const minutes = await challenge('MINUTES');
    await log(token, 300, 60);
    await platform.running('content').stop();
    try {
      expect(await join(minutes, token)).toMatchObject({ joined: true, score: 0 });
    } finally {
      await platform.restart('content');
    }
    await runScheduled(platform, 'gym', 'count_trainings');
    await reaches(minutes, token, 60);
    expect(await scoreOf(minutes, token)).toBe(60);
  });

  it('refuse progress, which is for CUSTOM challenges', async () => {
    const { token } = await platform.register();
    for (const metric of ['CHECK_INS', 'WORKOUTS', 'MINUTES']) {
      const id = await challenge(metric);
      await join(id, token);
      for (const [caller, body] of [
        [token, { amount: 5 }],
        [staff, { amount: -5, userId: (await platform.register()).id }],
      ] as const)
        expect(await gym('POST', `/challenges/${id}/progress`, caller, body)).toMatchObject({
          status: 409,
          body: { code: 'CHALLENGE_COUNTS_ITSELF' },
        });
    }
  });

  it('count all trainings of a user who leaves and joins again', async () => {
    const { token } = await platform.register();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    await gym('POST', `/challenges/${minutes}/leave`, token);
    await log(token, 200, 30);
    expect(await join(minutes, token)).toMatchObject({ score: 90 });
  });
});

describe('a user who leaves the gym', () => {
  it('is removed from challenges that run, also for a later membership, but not from those that have ended', async () => {
    const { token, id: userId, email, password } = await platform.register();
    const [running, ended] = [await challenge('MINUTES'), await challenge('MINUTES')];
    for (const id of [running, ended]) await join(id, token);
    await log(token, 300, 60);
    for (const id of [running, ended]) await reaches(id, token, 60);
    expect((await gym('DELETE', `/challenges/${ended}`, staff)).status).toBe(204);
    const setMembership = async (status: string) =>
      (
        await platform.rest('identity', 'PUT', `/users/${userId}/membership`, {
          token: staff,
          body: { status },
        })
      ).status;
    const boardOf = async (id: string) => (await gym('GET', `/challenges/${id}/leaderboard`, staff)).body;
    expect(await setMembership('ENDED')).toBe(200);
    await eventually(async () => (await boardOf(running)).length === 0, 20_000);
    expect(await boardOf(ended)).toMatchObject([{ userId, score: 60 }]);
    expect(await setMembership('ACTIVE')).toBe(200);
    const again = await platform.login(email, password);
    expect((await gym('GET', `/challenges/${running}`, again)).body).toMatchObject({
      joined: false,
      score: null,
    });
    expect((await gym('GET', `/challenges/${ended}`, again)).body).toMatchObject({ joined: true, score: 60 });
    expect(await join(running, again)).toMatchObject({ joined: true, score: 60 });
  });
});

describe('progress in a CUSTOM challenge', () => {
  it('is at most the goal, and reaching it a second time does not change the rank', async () => {
    const id = await challenge('CUSTOM', { goal: 10 });
    const [ana, ben] = [await platform.register(), await platform.register()];
    for (const { token } of [ana, ben]) await join(id, token);
    for (const { token } of [ana, ben, ana])
      expect((await gym('POST', `/challenges/${id}/progress`, token, { amount: 50 })).body.score).toBe(10);
    const { body } = await gym('GET', `/challenges/${id}/leaderboard`, staff);
    expect(body.map(({ userId }: { userId: string }) => userId)).toEqual([ana.id, ben.id]);
  });

  it('is corrected by staff, which is audited', async () => {
    const id = await challenge('CUSTOM');
    const [ana, ben] = [await platform.register(), await platform.register()];
    await join(id, ana.token);
    const correct = (token: string, body: object) => gym('POST', `/challenges/${id}/progress`, token, body);
    expect((await correct(staff, { userId: ana.id, amount: 30 })).status).toBe(200);
    expect((await correct(staff, { userId: ana.id, amount: -10 })).status).toBe(200);
    expect(await scoreOf(id, ana.token)).toBe(20);
    expect((await correct(staff, { userId: ana.id, amount: -100 })).status).toBe(200);
    expect(await scoreOf(id, ana.token)).toBe(0);
    expect((await correct(staff, { userId: ben.id, amount: 5 })).status).toBe(409);
    expect((await correct(ben.token, { userId: ana.id, amount: 5 })).status).toBe(403);
    expect((await correct(ana.token, { userId: ana.id, amount: -5 })).status).toBe(400);
    expect((await correct(ana.token, { userId: ana.id, amount: 5 })).body.score).toBe(5);
    expect(
      (await correct(await platform.demo('admin@aqua.test'), { userId: ana.id, amount: 5 })).status,
    ).toBe(404);
    const { body } = await gym('GET', '/audit?action=CHALLENGE_CORRECTED', staff);
    expect(
      body.filter(({ details }: { details: { challengeId: string } }) => details.challengeId === id),
    ).toHaveLength(3);
  });
});

describe('events about trainings', () => {
  it('are read by services only: no user, machine client or webhook gets them', async () => {
    const { token, id: userId } = await platform.register(DEMO_GYMS.ironTemple.id);
    const machine = await clientToken(platform, ['events:read', 'content:read', 'members:read', 'webhooks']);
    const service = await platform.serviceToken('gym');
    const readers = [staff, superAdmin, machine].flatMap((reader) => [
      new FeedReader(platform, 'content', reader),
      new FeedReader(platform, 'gym', reader),
    ]);
    for (const reader of readers) await reader.latest();
    const internal = await new FeedReader(platform, 'content', service).latest();
    const collected = await new FeedReader(platform, 'gym', service).latest();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    expect((await internal.read()).filter(({ data }) => data.userId === userId)).toEqual([
      expect.objectContaining({ type: 'trainings.changed', gymId: null, data: { userId } }),
    ]);
    for (const reader of [...readers, collected])
      expect((await reader.read()).filter(({ type }) => type.startsWith('training'))).toEqual([]);
    for (const reader of [staff, superAdmin, machine, service])
      expect((await content('GET', '/events?types=trainings.changed', reader)).status).toBe(400);
    const webhook = { url: 'https://example.com/hook', types: ['trainings.changed'] };
    expect((await gym('POST', '/webhooks', staff, webhook)).status).toBe(400);
    expect(await platform.sql('gym', `select 1 from event where type = 'trainings.changed' limit 1`)).toEqual(
      [],
    );
    for (const reader of [token, staff, superAdmin, machine])
      expect(
        (await content('GET', `/training-counts?of=${userId}/${ago(HOUR)}/${ago(0)}`, reader)).status,
      ).toBe(403);
    for (const ranges of ['', 'x', `${userId}/a/b`, `${userId}/${ago(HOUR)}`])
      expect((await content('GET', `/training-counts?of=${ranges}`, service)).status).toBe(400);
  });

  it('are removed with the account', async () => {
    const { token, id, password } = await platform.register();
    await log(token, 300, 60);
    const named = () => platform.sql('content', 'select 1 from event where people @> array[$1::uuid]', [id]);
    await eventually(async () => (await named()).length > 0);
    const { status } = await platform.rest('identity', 'DELETE', '/users/me', { token, body: { password } });
    expect(status).toBeLessThan(300);
    await eventually(async () => (await named()).length === 0);
  });
});
