import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { ago, challengeSupport, HOUR_MILLIS, MINUTE_MILLIS } from './challenge-support.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], env: { LOG_LEVEL: 'error' } });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const { gym, content, challenge, log, join, scoreOf, reaches } = challengeSupport(
  () => platform,
  () => staff,
);
/** Imports a training of an hour that began `began` minutes ago. */
const importOne = async (token: string, began: number): Promise<void> => {
  const row = `${ago(began * MINUTE_MILLIS)},${ago((began - 60) * MINUTE_MILLIS)},Old,Bench,5,60`;
  const { status } = await platform.rest('content', 'POST', '/trainings/import', {
    token,
    body: `startedAt,endedAt,title,exercise,reps,weightKg\n${row}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  expect(status).toBeLessThan(300);
};

describe('challenges that count trainings', () => {
  it('cannot begin or end outside of the years that services exchange, also if only the offset from UTC leads there', async () => {
    for (const change of [
      { startsAt: '1900-01-01T00:00:00+01:00' },
      { endsAt: '2999-12-31T23:00:00-02:00' },
    ]) {
      const { status } = await gym('POST', '/challenges', staff, {
        title: 'Boundary',
        metric: 'WORKOUTS',
        goal: 10,
        startsAt: ago(HOUR_MILLIS),
        endsAt: ago(-HOUR_MILLIS),
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
    await content('PUT', `/trainings/${first}`, token, { endedAt: ago(260 * MINUTE_MILLIS) });
    await reaches(minutes, token, 70);
    await content('PUT', `/trainings/${first}`, token, {
      startedAt: ago(100 * HOUR_MILLIS),
      endedAt: ago(99 * HOUR_MILLIS),
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
    expect(Date.parse(body[0].reachedAt)).toBeLessThan(Date.now() - 90 * MINUTE_MILLIS);
  });

  it('count a training only after its end, also if the end was logged in advance', async () => {
    const { token } = await platform.register();
    const [workouts, minutes] = [await challenge('WORKOUTS'), await challenge('MINUTES')];
    for (const id of [workouts, minutes]) await join(id, token);
    const { body: running } = await content('POST', '/trainings', token, {
      startedAt: ago(40 * MINUTE_MILLIS),
    });
    const ahead = await log(token, 60, 120);
    await log(token, 600, 10);
    await reaches(minutes, token, 10);
    expect(await scoreOf(workouts, token)).toBe(1);
    await content('PUT', `/trainings/${running.id}`, token, { endedAt: ago(10 * MINUTE_MILLIS) });
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

  it('are counted again every day, at the request of a SUPER_ADMIN, and after an invalid cursor, because events may have been missed', async () => {
    const { token, id: userId } = await platform.register();
    const minutes = await challenge('MINUTES');
    await join(minutes, token);
    await log(token, 300, 60);
    await reaches(minutes, token, 60);
    /** Makes the score wrong, as a missed event does. */
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
