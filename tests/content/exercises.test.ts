import { describe, expect, test } from '@jest/globals';
import { contentService, EXERCISE, ROUTINE } from './support.ts';

const { rest, graph } = contentService();

describe('the exercise library', () => {
  test('has at least 150 exercises on the first page, each with a primary muscle', async () => {
    const { data } = await graph(
      'anyone',
      '{ exercises(first: 200) { nodes { name primaryMuscles equipment level category modality gymId } } }',
    );
    const library = data.exercises.nodes.filter(({ gymId }: { gymId: string | null }) => gymId === null);
    expect(library.length).toBeGreaterThanOrEqual(150);
    for (const found of library) expect(found.primaryMuscles.length).toBeGreaterThan(0);
  });

  test('has instructions for each exercise of the first page, by REST and by the graph', async () => {
    const { body } = await rest('anyone', 'GET', '/exercises?limit=200');
    for (const { instructions } of body) expect(instructions.length).toBeGreaterThanOrEqual(3);
    const { data } = await graph(
      'anyone',
      'query($id: ID!) { exercise(id: $id) { instructions } _entities(representations: [{ __typename: "Exercise", id: $id }]) { ... on Exercise { instructions } } }',
      { id: body[0].id },
    );
    const { instructions } = body[0];
    expect(data).toEqual({ exercise: { instructions }, _entities: [{ instructions }] });
  });

  test('lists only exercises that match all filters', async () => {
    const { body } = await rest(
      'anyone',
      'GET',
      '/exercises?muscle=Chest&equipment=BARBELL&difficulty=beginner&limit=200',
    );
    expect(body.length).toBeGreaterThan(0);
    for (const found of body) {
      expect(found).toMatchObject({ equipment: 'barbell', level: 'Beginner' });
      expect([...found.primaryMuscles, ...found.secondaryMuscles]).toContain('chest');
    }
  });
});

describe('a deleted exercise', () => {
  test('is no longer found by its id, by REST and by the graph; a routine still names it', async () => {
    const { body: sled } = await rest('admin@iron.test', 'POST', '/exercises', EXERCISE);
    const { body: routine } = await rest('admin@iron.test', 'POST', '/workouts', {
      ...ROUTINE,
      exercises: [{ entries: [{ exerciseId: sled.id, sets: [{ distanceMeters: 20 }] }] }],
    });
    const query =
      'query($id: ID!, $routine: ID!) { exercise(id: $id) { name } workout(id: $routine) { exerciseList { name } } _entities(representations: [{ __typename: "Exercise", id: $id }]) { ... on Exercise { name } } }';
    const read = async () =>
      (await graph('maya@iron.test', query, { id: sled.id, routine: routine.id })).data;
    const named = { workout: { exerciseList: [{ name: sled.name }] }, _entities: [{ name: sled.name }] };
    expect(await read()).toEqual({ exercise: { name: sled.name }, ...named });
    expect((await rest('admin@iron.test', 'DELETE', `/exercises/${sled.id}`)).status).toBe(204);
    expect((await rest('maya@iron.test', 'GET', `/exercises/${sled.id}`)).status).toBe(404);
    expect(await read()).toEqual({ exercise: null, ...named });
  });
});

describe('instructions of an exercise of a gym', () => {
  const steps = ['  Stand before the sled.', 'Dance with it.\nDo not fall.'];
  const kept = ['Stand before the sled.', 'Dance with it.\nDo not fall.'];

  test('are written by REST, only at the current version', async () => {
    const created = await rest('admin@iron.test', 'POST', '/exercises', { ...EXERCISE, instructions: steps });
    expect(created).toMatchObject({ status: 201, body: { instructions: kept, version: 1 } });
    const path = `/exercises/${created.body.id}`;
    const put = (change: object, version: string) =>
      rest('admin@iron.test', 'PUT', path, change, { 'If-Match': version });
    expect(await put({ name: 'Sled Waltz' }, '"1"')).toMatchObject({
      status: 200,
      body: { instructions: kept },
    });
    expect(await put({ instructions: [] }, '"1"')).toMatchObject({
      status: 412,
      body: { code: 'VERSION_CONFLICT' },
    });
    expect(await put({ instructions: [] }, '"2"')).toMatchObject({
      status: 200,
      body: { instructions: [], version: 3 },
    });
    expect((await rest('admin@iron.test', 'GET', path)).body).toMatchObject({ instructions: [], version: 3 });
  });

  test('are written by the graph, and are empty by default', async () => {
    const mutation = `mutation($create: CreateExerciseInput!) { createExercise(input: $create) { id instructions } }`;
    const { data } = await graph('admin@iron.test', mutation, { create: EXERCISE });
    expect(data.createExercise.instructions).toEqual([]);
    const changed = await graph(
      'admin@iron.test',
      'mutation($input: UpdateExerciseInput!) { updateExercise(input: $input) { instructions version } }',
      { input: { id: data.createExercise.id, instructions: steps } },
    );
    expect(changed.data.updateExercise).toEqual({ instructions: kept, version: 2 });
  });

  test.each<[string, unknown, string]>([
    ['an empty step', ['Stand.', '  '], 'instructions.1'],
    ['an invisible step', ['\u200b'], 'instructions.0'],
    ['a step of 501 characters', ['a'.repeat(501)], 'instructions.0'],
    ['21 steps', Array.from({ length: 21 }, (_unused, index) => `Step ${index}.`), 'instructions'],
    ['a text instead of a list', 'Stand.', 'instructions'],
    ['a step that is no text', [1], 'instructions.0'],
  ])('are refused with %s', async (_what, instructions, path) => {
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } };
    expect(await rest('admin@iron.test', 'POST', '/exercises', { ...EXERCISE, instructions })).toMatchObject(
      refused,
    );
    const { body } = await rest('admin@iron.test', 'POST', '/exercises', EXERCISE);
    expect(await rest('admin@iron.test', 'PUT', `/exercises/${body.id}`, { instructions })).toMatchObject(
      refused,
    );
  });

  test('are refused if the caller may not change the exercise', async () => {
    const { body } = await rest('admin@iron.test', 'POST', '/exercises', EXERCISE);
    const put = async (who: string) =>
      (await rest(who, 'PUT', `/exercises/${body.id}`, { instructions: steps })).status;
    expect([await put('anyone'), await put('maya@iron.test'), await put('admin@aqua.test')]).toEqual([
      401, 403, 404,
    ]);
  });
});
