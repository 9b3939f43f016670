import { describe, expect, it } from '@jest/globals';
import { BENCH, hourOf, hoursAgo, PLANK, PULL_UP, RUN, trainingLog } from './training-support.ts';

const { rest, graph, register } = trainingLog();

const DAY_HOURS = 24;

describe('the last sets of an exercise', () => {
  it('are those of the latest training that has ended; none if there is no training', async () => {
    const ana = await register();
    expect((await rest(ana, 'GET', `/exercises/${BENCH}/last`)).body).toEqual({
      trainingId: null,
      at: null,
      sets: [],
    });
    const old = await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 5, weightKg: 60 }], 50));
    const latest = await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 5, weightKg: 70 }], 26));
    await rest(ana, 'POST', '/trainings', hourOf(PULL_UP, [{ reps: 9 }], 4));
    await rest(ana, 'POST', '/trainings', {
      startedAt: hoursAgo(1),
      entries: [{ exerciseId: BENCH, sets: [{ reps: 1, weightKg: 75 }] }],
    });
    expect((await rest(ana, 'GET', `/exercises/${BENCH}/last`)).body).toMatchObject({
      trainingId: latest.body.id,
      at: latest.body.startedAt,
      sets: [{ weightKg: 70 }],
    });
    const { data } = await graph(
      ana,
      'query($ids: [_Any!]!) { _entities(representations: $ids) { ... on Exercise { name lastSets { trainingId sets { reps } } } } }',
      { ids: [BENCH, PULL_UP, PLANK].map((id) => ({ __typename: 'Exercise', id })) },
    );
    expect(data._entities.map(({ lastSets }: { lastSets: unknown }) => lastSets)).toEqual([
      { trainingId: latest.body.id, sets: [{ reps: 5 }] },
      { trainingId: expect.any(String), sets: [{ reps: 9 }] },
      { trainingId: null, sets: [] },
    ]);
    await rest(ana, 'DELETE', `/trainings/${latest.body.id}`);
    expect((await rest(ana, 'GET', `/exercises/${BENCH}/last`)).body.trainingId).toBe(old.body.id);
  });
});

describe('records', () => {
  it('name the set that made them, and are corrected when it is edited or deleted', async () => {
    const ana = await register();
    const completedAt = hoursAgo(1.5);
    const first = await rest(
      ana,
      'POST',
      '/trainings',
      hourOf(BENCH, [
        { type: 'WARMUP', reps: 30, weightKg: 200 },
        { id: 'heavy', reps: 1, weightKg: 100, completedAt },
        { reps: 5, weightKg: 90 },
        { reps: 13, weightKg: 89 },
      ]),
    );
    const second = await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 12, weightKg: 60 }], 30));
    const records = async () => (await rest(ana, 'GET', `/exercises/${BENCH}/records`)).body;
    const trainingId = first.body.id;
    expect(await records()).toEqual({
      heaviest: { value: 100, reps: 1, weightKg: 100, at: completedAt, trainingId },
      mostReps: { value: 13, reps: 13, weightKg: 89, at: first.body.startedAt, trainingId },
      e1rm: { value: 105, reps: 5, weightKg: 90, at: first.body.startedAt, trainingId }, // 90 x (1 + 5 / 30)
      volume: { value: 1_707, reps: null, weightKg: null, at: first.body.startedAt, trainingId },
      longest: null,
      farthest: null,
    });
    await rest(ana, 'PUT', `/trainings/${trainingId}/sets/heavy`, { reps: 1, weightKg: 10 });
    expect((await records()).heaviest).toMatchObject({ value: 90, reps: 5 });
    await rest(ana, 'DELETE', `/trainings/${trainingId}`);
    expect(await records()).toMatchObject({
      heaviest: { value: 60, trainingId: second.body.id },
      mostReps: { value: 12 },
      e1rm: { value: 84 }, // 60 x (1 + 12 / 30)
      volume: { value: 720 },
    });
    const { data } = await graph(
      ana,
      `{ exercise(id: "${BENCH}") { records { heaviest { value reps trainingId } longest { value } } } }`,
    );
    expect(data.exercise.records).toEqual({
      heaviest: { value: 60, reps: 12, trainingId: second.body.id },
      longest: null,
    });
  });

  it('of durations and distances are the longest and the farthest set', async () => {
    const ana = await register();
    await rest(ana, 'POST', '/trainings', hourOf(PLANK, [{ durationSeconds: 60 }, { durationSeconds: 95 }]));
    await rest(ana, 'POST', '/trainings', hourOf(RUN, [{ distanceMeters: 5_000, durationSeconds: 1_500 }]));
    expect((await rest(ana, 'GET', `/exercises/${PLANK}/records`)).body).toMatchObject({
      heaviest: null,
      e1rm: null,
      volume: null,
      longest: { value: 95 },
    });
    expect((await rest(ana, 'GET', `/exercises/${RUN}/records`)).body).toMatchObject({
      longest: { value: 1_500 },
      farthest: { value: 5_000 },
    });
  });

  it('are private: nobody sees those of others, and without a log-in there are none', async () => {
    const [ana, ben] = [await register(), await register()];
    await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 5, weightKg: 60 }]));
    expect((await rest(ben, 'GET', `/exercises/${BENCH}/records`)).body.heaviest).toBeNull();
    for (const path of ['last', 'records', 'progress', 'progress.svg'])
      expect((await rest(undefined, 'GET', `/exercises/${BENCH}/${path}`)).status).toBe(401);
    expect((await rest(ana, 'GET', `/exercises/01900000-0000-7000-8000-00000000dead/records`)).status).toBe(
      404,
    );
    const { data } = await graph(
      undefined,
      `{ exercise(id: "${BENCH}") { name records { volume { value } } } }`,
    );
    expect(data.exercise).toEqual({ name: 'Barbell Bench Press', records: null });
  });
});

describe('the progress with an exercise', () => {
  it('has a point for each training with a value, the oldest first, and a picture', async () => {
    const ana = await register();
    for (const [days, weightKg] of [
      [10, 60],
      [3, 70],
      [6, 65],
    ] as const)
      await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 6, weightKg }], days * DAY_HOURS));
    await rest(ana, 'POST', '/trainings', hourOf(BENCH, [{ reps: 20 }], 2 * DAY_HOURS));
    const valuesOf = async (query: string) =>
      (await rest(ana, 'GET', `/exercises/${BENCH}/progress?${query}`)).body.points.map(
        ({ value }: { value: number }) => value,
      );
    expect(await valuesOf('')).toEqual([72, 78, 84]);
    expect(await valuesOf('metric=max_weight')).toEqual([60, 65, 70]);
    expect(await valuesOf('metric=VOLUME')).toEqual([360, 390, 420]);
    expect(await valuesOf('metric=REPS')).toEqual([6, 6, 6, 20]);
    const from = hoursAgo(7 * DAY_HOURS).slice(0, 10);
    expect(await valuesOf(`metric=MAX_WEIGHT&from=${from}`)).toEqual([65, 70]);
    expect((await rest(ana, 'GET', `/exercises/${BENCH}/progress?metric=LUCK`)).status).toBe(400);
    const { body, headers } = await rest(ana, 'GET', `/exercises/${BENCH}/progress.svg?metric=MAX_WEIGHT`);
    expect(headers.get('content-type')).toContain('image/svg+xml');
    expect(body).toContain('Barbell Bench Press: heaviest set, kg');
    expect(body.match(/<circle class="dot"/g)).toHaveLength(3);
    expect(body).toContain('best 70');
    const { data } = await graph(
      ana,
      `{ exercise(id: "${BENCH}") { progress(metric: REPS) { metric points { value } } progressChart(metric: REPS) } }`,
    );
    expect(data.exercise.progress.points).toHaveLength(4);
    expect(data.exercise.progressChart).toContain('most repetitions');
    const none = await rest(ana, 'GET', `/exercises/${RUN}/progress.svg`);
    expect(none.body).toContain('Nothing was logged.');
  });
});

describe('the progress by week or month', () => {
  it('has the best point of each bucket, the first of equal ones', async () => {
    const ana = await register();
    const log = async (day: string, reps: number) =>
      (
        await rest(ana, 'POST', '/trainings', {
          startedAt: `${day}T12:00:00Z`,
          endedAt: `${day}T13:00:00Z`,
          timezone: 'UTC',
          entries: [{ exerciseId: PULL_UP, sets: [{ reps }] }],
        })
      ).body.id as string;
    const sunday = await log('2026-03-01', 9);
    const monday = await log('2026-03-02', 7);
    await log('2026-03-05', 7); // not better than that of Monday
    const last = await log('2026-03-08', 8);
    const april = await log('2026-04-01', 5);
    const pointsBy = async (query: string) =>
      (await rest(ana, 'GET', `/exercises/${PULL_UP}/progress?metric=reps&${query}`)).body.points;
    const first = { date: '2026-03-01', value: 9, trainingId: sunday };
    const latest = { date: '2026-04-01', value: 5, trainingId: april };
    const week = { date: '2026-03-08', value: 8, trainingId: last };
    expect(await pointsBy('bucket=week')).toEqual([first, week, latest]);
    expect(await pointsBy('bucket=week&to=2026-03-07')).toEqual([
      first,
      { date: '2026-03-02', value: 7, trainingId: monday },
    ]);
    expect(await pointsBy('bucket=MONTH')).toEqual([first, latest]);
    expect(await pointsBy('bucket=day')).toEqual(await pointsBy(''));
    expect((await rest(ana, 'GET', `/exercises/${PULL_UP}/progress?bucket=year`)).status).toBe(400);
    const { data } = await graph(
      ana,
      `{ exercise(id: "${PULL_UP}") { progress(metric: REPS, bucket: MONTH) { points { date value trainingId } } all: progress(metric: REPS) { points { value } } progressChart(metric: REPS, bucket: MONTH) } }`,
    );
    expect(data.exercise.progress.points).toEqual([first, latest]);
    expect(data.exercise.all.points).toHaveLength(5);
    expect(data.exercise.progressChart.match(/<circle class="dot"/g)).toHaveLength(2);
    expect(data.exercise.progressChart).toContain('From 9 to 5 in 2 months; the best is 9.');
    const one = await rest(ana, 'GET', `/exercises/${PULL_UP}/progress.svg?metric=reps&from=2026-04-01`);
    expect(one.body).toContain('in 1 training;');
  });
});

describe('the summary', () => {
  it('counts trainings, minutes and volume by muscle, and the weeks in a row', async () => {
    const ana = await register();
    const timezone = 'Europe/Berlin';
    const log = (startedAt: string, minutes: number, entries: object[] = []) =>
      rest(ana, 'POST', '/trainings', {
        startedAt,
        endedAt: new Date(Date.parse(startedAt) + minutes * 60_000).toISOString(),
        entries,
        timezone,
      });
    const bench = { exerciseId: BENCH, sets: [{ reps: 10, weightKg: 50 }] };
    await log('2026-02-22T23:30:00Z', 30, [bench]); // Monday 23 February in Berlin
    await log('2026-03-04T10:00:00Z', 45, [bench]);
    await log('2026-03-08T22:30:00Z', 20); // Sunday 8 March in Berlin
    await log('2026-03-11T10:00:00Z', 10);
    await log('2026-02-10T10:00:00Z', 60); // a week without a training follows, so the streak begins after it
    const { body } = await rest(ana, 'GET', '/trainings/summary?from=2026-02-23&to=2026-03-12');
    expect(body).toEqual({
      from: '2026-02-23',
      to: '2026-03-12',
      count: 4,
      minutes: 105,
      volumeKg: 1_000,
      volumeByMuscle: [{ muscle: 'chest', volumeKg: 1_000 }],
      streakWeeks: 3,
      buckets: [
        { start: '2026-02-23', end: '2026-03-01', count: 1, minutes: 30, volumeKg: 500 },
        { start: '2026-03-02', end: '2026-03-08', count: 2, minutes: 65, volumeKg: 500 },
        { start: '2026-03-09', end: '2026-03-12', count: 1, minutes: 10, volumeKg: 0 },
      ],
    });
    // The week that is not over does not end the streak; a week without a training does.
    const streakAt = async (to: string) =>
      (await rest(ana, 'GET', `/trainings/summary?from=${to}&to=${to}`)).body.streakWeeks;
    expect(await streakAt('2026-03-10')).toBe(2);
    expect(await streakAt('2026-03-17')).toBe(3);
    expect(await streakAt('2026-03-23')).toBe(0);
    const { data } = await graph(
      ana,
      'query($user: _Any!) { _entities(representations: [$user]) { ... on User { trainingSummary(from: "2026-02-01", to: "2026-03-31", bucket: MONTH) { count buckets { start end count } } } } }',
      { user: { __typename: 'User', id: ana.id, timezone } },
    );
    expect(data._entities[0].trainingSummary).toEqual({
      count: 5,
      buckets: [
        { start: '2026-02-01', end: '2026-02-28', count: 2 },
        { start: '2026-03-01', end: '2026-03-31', count: 3 },
      ],
    });
  });
});

describe('the export', () => {
  it('has a line for each set, and one for a training without sets, the oldest training first', async () => {
    const ana = await register();
    await rest(
      ana,
      'POST',
      '/trainings',
      hourOf(
        BENCH,
        [
          { reps: 5, weightKg: 62.5 },
          { reps: 4, weightKg: 60 },
        ],
        3,
      ),
    );
    await rest(ana, 'POST', '/trainings', { ...hourOf(PLANK, [], 30), title: '=1+1', entries: [] });
    const { status, body, headers } = await rest(ana, 'GET', '/trainings/export.csv');
    expect({ status, body }).toEqual({ status: 200, body: expect.any(String) });
    expect(headers.get('content-disposition')).toContain('trainings.csv');
    const lines = (body as string).trim().split('\n');
    expect(lines[0]).toMatch(
      /^trainingId,startedAt,endedAt,minutes,title,note,exerciseId,exercise,setId,type,reps/,
    );
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain("'=1+1"); // a spreadsheet must not run it
    expect(lines[2]).toMatch(/Barbell Bench Press,[\w-]+,NORMAL,5,62\.5,/);
    const byGraph = await graph(ana, '{ trainingCsv }');
    expect(byGraph.data.trainingCsv).toBe(body);
  });
});
