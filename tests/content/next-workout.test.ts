import { describe, expect, it } from '@jest/globals';
import { statementsDuring, type SentStatement } from '../support/statements.ts';
import { BENCH, hoursAgo, hourOf, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const routine = (title: string) => ({ title, difficulty: 'Beginner', category: 'Strength' });
const add = async (who: Person, title: string, further: object = {}): Promise<string> => {
  const { status, body } = await rest(who, 'POST', '/workouts', { ...routine(title), ...further });
  expect(status).toBe(201);
  return body.id;
};
const train = async (who: Person, routineId: string, began: number) => {
  const body = { routineId, startedAt: hoursAgo(began), endedAt: hoursAgo(began - 1) };
  expect((await rest(who, 'POST', '/trainings', body)).status).toBe(201);
};
const nextOf = async (who: Person): Promise<string | null> => {
  const [byRest, byGraph] = await Promise.all([
    rest(who, 'GET', '/workouts/next'),
    userOf(who, who.id, 'nextWorkout { id title }'),
  ]);
  expect(byRest.status).toBe(byGraph.data._entities[0].nextWorkout ? 200 : 404);
  expect(byRest.body.id).toBe(byGraph.data._entities[0].nextWorkout?.id);
  return byRest.status === 200 ? byRest.body.title : null;
};
const userOf = (who: Person | undefined, id: string, fields: string) =>
  graph(who, `query($user: _Any!) { _entities(representations: [$user]) { ... on User { ${fields} } } }`, {
    user: { __typename: 'User', id, timezone: 'UTC' },
  });

describe('the next workout', () => {
  it('is the one of the own and favourite routines that was not trained for the longest time', async () => {
    const [ana, ben] = [await register(), await register()];
    const theirs = await add(ben, 'Another', { visibility: 'GYM' });
    const push = await add(ana, 'Push');
    await add(ana, 'pull');
    expect(await nextOf(ana)).toBe('pull'); // none was trained: the first by title
    await train(ana, push, 50);
    expect(await nextOf(ana)).toBe('pull');
    await rest(ana, 'PUT', `/workouts/${theirs}/favourite`);
    expect(await nextOf(ana)).toBe('Another');
    await train(ana, theirs, 20);
    const { body: pull } = await rest(ana, 'GET', '/workouts?mine=true&search=pull');
    await train(ana, pull[0].id, 2);
    expect(await nextOf(ana)).toBe('Push');
    await train(ana, push, 1);
    expect(await nextOf(ana)).toBe('Another');
    // What others train does not count.
    await train(ben, theirs, 1);
    expect(await nextOf(ana)).toBe('Another');
    // Ben no longer shares this routine, so Ana no longer sees it.
    await rest(ben, 'PUT', `/workouts/${theirs}`, { visibility: 'PRIVATE' });
    expect(await nextOf(ana)).toBe('pull');
    await rest(ana, 'DELETE', `/workouts/${pull[0].id}`);
    expect(await nextOf(ana)).toBe('Push');
  });

  it('is a routine of the gym for a user without own routines and favourites, and null for one without a gym', async () => {
    const alone = (await platform().register(null)) as Person;
    expect(await nextOf(alone)).toBeNull();
    const admin = { id: '', token: await platform().demo('admin@aqua.test') };
    const zoe = { id: '', token: await platform().demo('zoe@aqua.test') };
    zoe.id = JSON.parse(Buffer.from(zoe.token.split('.')[1] ?? '', 'base64url').toString()).sub;
    expect(await nextOf(zoe)).toBe('Aqua Club Dry-land Swim');
    const second = await add(admin, 'A lap of the dock');
    expect(await nextOf(zoe)).toBe('A lap of the dock');
    await train(zoe, second, 3);
    expect(await nextOf(zoe)).toBe('Aqua Club Dry-land Swim');
  });

  it('is private: not for other users, staff included, and not without a log-in', async () => {
    const [ana, ben] = [await register(), await register()];
    await add(ana, 'Mine');
    const others = [
      ben,
      ...(await Promise.all(
        (['admin@iron.test', 'super@demo.test'] as const).map(async (email) => ({
          id: '',
          token: await platform().demo(email),
        })),
      )),
    ];
    for (const other of others) {
      const { data, errors } = await userOf(other, ana.id, 'nextWorkout { title }');
      expect(data._entities).toEqual([{ nextWorkout: null }]);
      expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    }
    expect((await rest(undefined, 'GET', '/workouts/next')).status).toBe(401);
    expect((await rest({ id: '', token: 'wrong' }, 'GET', '/workouts/next')).status).toBe(401);
    expect((await userOf(undefined, ana.id, 'nextWorkout { title }')).data._entities).toEqual([
      { nextWorkout: null },
    ]);
  });
});

/** The number of statements that read content. The services may send other statements at the same time. */
const readsOf = (sent: readonly SentStatement[]): number =>
  sent.filter(({ text }) => /\b(training|training_exercise|workout_routine|exercise)\b/.test(text)).length;

describe('the home page', () => {
  const HOME = (first: number) =>
    `nextWorkout { id title durationMinutes } trainingSummary(days: 7) { count minutes volumeKg streakWeeks } trainings(first: ${first}) { nodes { title minutes volumeKg } }`;

  it('reads the next workout, the sums and the latest trainings in one statement, for 5 trainings as for 50', async () => {
    const ana = await register();
    const mine = await add(ana, 'Mine');
    // The latest training began yesterday at noon, so the last seven days contain six trainings at any time of day.
    const hoursSinceYesterdaysNoon = 12 + (Date.now() % 86_400_000) / 3_600_000;
    for (let day = 0; day < 55; day += 1)
      await rest(ana, 'POST', '/trainings', {
        ...hourOf(BENCH, [{ reps: 5, weightKg: 60 }], hoursSinceYesterdaysNoon + day * 24),
        routineId: mine,
      });
    const home = async (first: number) => {
      const sent = await statementsDuring(async () => {
        const { data, errors } = await userOf(ana, ana.id, HOME(first));
        expect(errors).toBeUndefined();
        const [user] = data._entities;
        expect(user.nextWorkout).toEqual({ id: mine, title: 'Mine', durationMinutes: 1 });
        expect(user.trainingSummary).toEqual({
          count: 6,
          minutes: 360,
          volumeKg: 1_800,
          streakWeeks: expect.any(Number),
        });
        expect(user.trainings.nodes).toHaveLength(first);
        expect(user.trainings.nodes[0]).toEqual({ title: 'Mine', minutes: 60, volumeKg: 300 });
      });
      return readsOf(sent);
    };
    expect([await home(5), await home(50)]).toEqual([1, 1]);
    const whole = async (first: number) => {
      const sent = await statementsDuring(async () => {
        const { data } = await userOf(
          ana,
          ana.id,
          `trainings(first: ${first}) { nodes { title routine { title } entries { exercise { name records { e1rm { value } } lastSets { sets { reps } } } sets { reps } } } }`,
        );
        expect(data._entities[0].trainings.nodes).toHaveLength(first);
        expect(data._entities[0].trainings.nodes.at(-1)).toMatchObject({
          routine: { title: 'Mine' },
          entries: [{ exercise: { records: { e1rm: { value: 70 } }, lastSets: { sets: [{ reps: 5 }] } } }],
        });
      });
      return readsOf(sent);
    };
    const five = await whole(5);
    expect(five).toBeLessThanOrEqual(6);
    expect(await whole(50)).toBe(five);
  });

  it('sums the requested number of days; an invalid number is refused at both doors', async () => {
    const ana = await register();
    for (const days of [0, 3, 6, 7, 20])
      await rest(ana, 'POST', '/trainings', hourOf(BENCH, [], 0.5 + days * 24));
    const count = async (query: string) => {
      const { status, body } = await rest(ana, 'GET', `/trainings/summary?${query}`);
      return status === 200 ? body.count : status;
    };
    expect(await count('days=30&timezone=UTC')).toBe(5);
    for (const wrong of ['0', '-1', '3661', '1.5', 'x', '7&from=2026-01-01', '99999999999'])
      expect(await count(`days=${wrong}`)).toBe(400);
    for (const wrong of [0, -1, 3_661, 2_147_483_647]) {
      const { errors } = await userOf(ana, ana.id, `trainingSummary(days: ${wrong}) { count }`);
      expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
    }
    const week = (await rest(ana, 'GET', '/trainings/summary?days=7&timezone=UTC')).body;
    expect(Date.parse(week.to) - Date.parse(week.from)).toBe(6 * 86_400_000);
    expect(await count('days=1&to=2026-01-01')).toBe(0);
  });

  it('answers several summaries and pages of one operation, each with its own rows', async () => {
    const ana = await register();
    for (const days of [1, 2, 3]) await rest(ana, 'POST', '/trainings', hourOf(BENCH, [], 2 + days * 24));
    const { data } = await userOf(
      ana,
      ana.id,
      'a: trainingSummary(days: 30) { count } b: trainingSummary(days: 1) { count } one: trainings(first: 1) { nodes { id } } two: trainings(first: 2) { nodes { id } } nextWorkout { id }',
    );
    expect(data._entities[0]).toMatchObject({ a: { count: 3 }, b: { count: 0 } });
    expect(data._entities[0].one.nodes).toHaveLength(1);
    expect(data._entities[0].two.nodes).toHaveLength(2);
  });
});
