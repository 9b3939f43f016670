import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BENCH, hourOf, hoursAgo, PLANK, PULL_UP, trainingLog } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const BENCH_SETS = [
  { type: 'WARMUP', reps: 10, weightKg: 20 },
  { reps: 5, weightKg: 80, rpe: 8, restSeconds: 120 },
  { type: 'FAILURE', reps: 4, weightKg: 80.5 },
];

describe('a training', () => {
  it('is logged whole by REST, and read and changed by the graph', async () => {
    const ana = await register();
    const logged = await rest(ana, 'POST', '/trainings', {
      ...hourOf(BENCH, BENCH_SETS),
      title: 'Push',
      note: 'Felt strong',
    });
    expect(logged).toMatchObject({
      status: 201,
      body: {
        userId: ana.id,
        title: 'Push',
        minutes: 60,
        volumeKg: 722, // 5 x 80 + 4 x 80.5, without the set to warm up
        version: 1,
        routineId: null,
        squadId: null,
        entries: [{ exerciseId: BENCH, sets: [{ type: 'WARMUP' }, { rpe: 8 }, { type: 'FAILURE' }] }],
      },
    });
    expect(logged.headers.get('etag')).toBe('"1"');
    const { data } = await graph(
      ana,
      'query($id: ID!) { training(id: $id) { title volumeKg startedAt entries { exercise { name } sets { reps weightKg type } } } }',
      { id: logged.body.id },
    );
    expect(data.training).toMatchObject({
      title: 'Push',
      volumeKg: 722,
      entries: [
        { exercise: { name: 'Barbell Bench Press' }, sets: [{ reps: 10 }, { reps: 5 }, { reps: 4 }] },
      ],
    });
    const changed = await graph(
      ana,
      'mutation($input: UpdateTrainingInput!) { updateTraining(input: $input) { note minutes version } }',
      { input: { id: logged.body.id, note: null, minutes: 45, version: 1 } },
    );
    expect(changed.data.updateTraining).toEqual({ note: null, minutes: 45, version: 2 });
    const deleted = await graph(ana, 'mutation($id: ID!) { deleteTraining(input: { id: $id }) }', {
      id: logged.body.id,
    });
    expect(deleted.data.deleteTraining).toBe(true);
    expect((await rest(ana, 'GET', `/trainings/${logged.body.id}`)).status).toBe(404);
  });

  it('is logged by the graph; what REST returns of it can be sent back as a change', async () => {
    const ana = await register();
    const { data } = await graph(
      ana,
      'mutation($input: LogTrainingInput!) { logTraining(input: $input) { id } }',
      {
        input: hourOf(PULL_UP, [
          { reps: 8, assistedKg: 20 },
          { reps: 5, weightKg: 10 },
        ]),
      },
    );
    const path = `/trainings/${data.logTraining.id}`;
    const read = await rest(ana, 'GET', path);
    expect(read.body).toMatchObject({
      volumeKg: 50,
      entries: [{ sets: [{ assistedKg: 20 }, { weightKg: 10 }] }],
    });
    const same = await rest(ana, 'PUT', path, read.body);
    expect(same).toMatchObject({ status: 200, body: { entries: read.body.entries, version: 2 } });
  });

  it('is changed and deleted only at the version that was read', async () => {
    const ana = await register();
    const { body } = await rest(ana, 'POST', '/trainings', hourOf(BENCH, BENCH_SETS));
    const path = `/trainings/${body.id}`;
    expect((await rest(ana, 'PUT', path, { title: 'A' }, { 'if-match': '"1"' })).status).toBe(200);
    const conflict = { status: 412, body: { code: 'VERSION_CONFLICT' } };
    expect(await rest(ana, 'PUT', path, { title: 'B' }, { 'if-match': '"1"' })).toMatchObject(conflict);
    expect(await rest(ana, 'DELETE', path, undefined, { 'if-match': '"1"' })).toMatchObject(conflict);
    expect((await rest(ana, 'DELETE', path, undefined, { 'if-match': '"2"' })).status).toBe(204);
  });

  it('has at most the minutes from its beginning to its end', async () => {
    const ana = await register();
    const times = { startedAt: '2026-03-01T10:00:00Z', endedAt: '2026-03-01T10:45:59Z' };
    const wrong = await rest(ana, 'POST', '/trainings', { ...times, minutes: 46 });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ path: 'minutes' }] } });
    const { body } = await rest(ana, 'POST', '/trainings', times);
    expect(body.minutes).toBe(45);
    const shorter = await rest(ana, 'PUT', `/trainings/${body.id}`, { endedAt: '2026-03-01T10:30:00Z' });
    expect(shorter.body.minutes).toBe(30);
    for (const [change, path] of [
      [{ endedAt: '2026-03-01T09:59:00Z' }, 'endedAt'],
      [{ endedAt: '2026-03-02T10:00:01Z' }, 'endedAt'],
      [{ startedAt: '2099-03-01T10:00:00Z' }, 'startedAt'],
      [{ endedAt: null, minutes: 5 }, 'minutes'],
    ] as const)
      expect(await rest(ana, 'PUT', `/trainings/${body.id}`, change)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ path }] },
      });
  });

  it('moves to another day with the times of its sets', async () => {
    const ana = await register();
    const { body } = await rest(ana, 'POST', '/trainings', {
      startedAt: '2026-03-01T10:00:00Z',
      endedAt: '2026-03-01T11:00:00Z',
      entries: [{ exerciseId: BENCH, sets: [{ reps: 5, completedAt: '2026-03-01T10:20:00Z' }] }],
    });
    const moved = await rest(ana, 'PUT', `/trainings/${body.id}`, {
      startedAt: '2026-02-01T10:05:00Z',
      endedAt: '2026-02-01T11:00:00Z',
    });
    expect(moved).toMatchObject({
      status: 200,
      body: { minutes: 55, entries: [{ sets: [{ completedAt: '2026-02-01T10:20:00.000Z' }] }] },
    });
  });

  it('refuses sets that do not go with their exercise, and names each of them', async () => {
    const ana = await register();
    const { status, body } = await rest(ana, 'POST', '/trainings', {
      entries: [
        { exerciseId: PLANK, sets: [{ reps: 5 }, { durationSeconds: 60 }] },
        { exerciseId: PULL_UP, sets: [{ reps: 5, weightKg: 5, assistedKg: 5 }] },
        { exerciseId: randomUUID(), sets: [{ reps: 5 }] },
        {
          exerciseId: BENCH,
          sets: [
            { id: 'a', reps: 5 },
            { id: 'a', reps: 5 },
          ],
        },
      ],
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'entries.0.sets.0',
      'entries.0.sets.0.reps',
      'entries.1.sets.0.assistedKg',
      'entries.2.exerciseId',
      'entries.3.sets.1.id',
    ]);
  });

  it('takes the title of its routine, and keeps the version of the routine that it began with', async () => {
    const ana = await register();
    const admin = { id: '', token: await platform().demo('super@demo.test') };
    const routine = await rest(admin, 'POST', '/workouts', {
      title: 'Plan A',
      difficulty: 'Beginner',
      category: 'Strength',
    });
    const { body } = await rest(ana, 'POST', '/trainings', { routineId: routine.body.id });
    expect(body).toMatchObject({ title: 'Plan A', routineVersion: 1, endedAt: null, minutes: null });
    await rest(admin, 'PUT', `/workouts/${routine.body.id}`, { title: 'Plan B' });
    const { data } = await graph(ana, 'query($id: ID!) { training(id: $id) { routine { title version } } }', {
      id: body.id,
    });
    expect(data.training.routine).toEqual({ title: 'Plan A', version: 1 });
    expect(await rest(ana, 'POST', '/trainings', { routineId: randomUUID() })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'routineId' }] },
    });
  });

  it('is listed by the local day of its beginning, the latest first, page by page', async () => {
    const ana = await register();
    const timezone = 'America/New_York';
    // In New York these are 23:30 on 1 March and 00:30 on 2 March.
    for (const startedAt of ['2026-03-02T04:30:00Z', '2026-03-02T05:30:00Z', '2026-03-05T12:00:00Z'])
      expect(
        (await rest(ana, 'POST', '/trainings', { startedAt, endedAt: startedAt, timezone })).status,
      ).toBe(201);
    const days = async (query: string) =>
      (await rest(ana, 'GET', `/trainings?${query}`)).body.map(
        ({ localDate }: { localDate: string }) => localDate,
      );
    expect(await days('')).toEqual(['2026-03-05', '2026-03-02', '2026-03-01']);
    expect(await days('from=2026-03-02&to=2026-03-05')).toEqual(['2026-03-05', '2026-03-02']);
    expect(await days('to=2026-03-01')).toEqual(['2026-03-01']);
    const first = await rest(ana, 'GET', '/trainings?limit=2');
    const cursor = new URLSearchParams(/\?([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1]).get('cursor');
    expect(await days(`limit=2&cursor=${encodeURIComponent(cursor ?? '')}`)).toEqual(['2026-03-01']);
    const { data } = await graph(
      ana,
      'query($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) { ... on User { trainings(from: "2026-03-02") { nodes { localDate } } } } }',
      { id: ana.id },
    );
    expect(data._entities[0].trainings.nodes).toEqual([
      { localDate: '2026-03-05' },
      { localDate: '2026-03-02' },
    ]);
    expect((await rest(ana, 'GET', '/trainings?from=2026-03-02&to=2026-03-01')).status).toBe(400);
  });

  it('can be logged again with the same sets and duration', async () => {
    const ana = await register();
    const sets = BENCH_SETS.map((set, index) => ({ ...set, completedAt: hoursAgo(50 - index / 10) }));
    const { body } = await rest(ana, 'POST', '/trainings', { ...hourOf(BENCH, sets, 50), note: 'Old' });
    const copy = await rest(ana, 'POST', `/trainings/${body.id}/copy`);
    expect(copy).toMatchObject({ status: 201, body: { minutes: 60, volumeKg: 722, note: null, version: 1 } });
    expect(copy.body.id).not.toBe(body.id);
    expect(Math.abs(Date.parse(copy.body.endedAt) - Date.now())).toBeLessThan(60_000);
    const byGraph = await graph(
      ana,
      'mutation($id: ID!) { copyTraining(input: { id: $id, startedAt: "2026-03-01T10:00:00Z" }) { endedAt } }',
      { id: body.id },
    );
    expect(byGraph.data.copyTraining.endedAt).toBe('2026-03-01T11:00:00.000Z');
  });
});

describe('the rights', () => {
  it('only the owner reads and changes a training: for staff and other users it does not exist, services are refused', async () => {
    const [ana, ben] = [await register(), await register()];
    const { body } = await rest(ana, 'POST', '/trainings', hourOf(BENCH, BENCH_SETS));
    const path = `/trainings/${body.id}`;
    const others = [
      ben,
      { id: '', token: await platform().demo('admin@iron.test') },
      { id: '', token: await platform().demo('super@demo.test') },
    ];
    for (const other of others) {
      for (const [method, at, input] of [
        ['GET', path],
        ['PUT', path, { title: 'Mine' }],
        ['DELETE', path],
        ['PUT', `${path}/sets/x`, { exerciseId: BENCH, reps: 1 }],
        ['POST', `${path}/copy`, {}],
      ] as const)
        expect(await rest(other, method, at, input)).toMatchObject({
          status: 404,
          body: { code: 'NOT_FOUND' },
        });
      const { data, errors } = await graph(
        other,
        'query($user: ID!, $id: ID!) { training(id: $id) { id } _entities(representations: [{ __typename: "User", id: $user }, { __typename: "Training", id: $id }]) { ... on User { trainings { nodes { id } } } ... on Training { id } } }',
        { user: ana.id, id: body.id },
      );
      expect(data).toEqual({ training: null, _entities: [{ trainings: null }, null] });
      expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['NOT_FOUND']));
    }
    const service = { id: '', token: await platform().serviceToken('squad') };
    expect((await rest(service, 'GET', path)).status).toBe(403);
    expect((await rest(undefined, 'GET', '/trainings')).status).toBe(401);
    expect((await rest(ana, 'GET', path)).body.version).toBe(1);
  });
});
