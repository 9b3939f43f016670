import { describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { contentService, EXERCISE, ROUTINE } from './support.ts';

const { rest, graph } = contentService();

/** The exercise of the library with this name. */
async function exercise(name: string): Promise<{ id: string; modality: string }> {
  const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(name)}`);
  return body.find((found: { name: string }) => found.name === name);
}

describe('routines', () => {
  const sets = async (name: string, set: object) => [
    { entries: [{ exerciseId: (await exercise(name)).id, sets: [set] }] },
  ];

  test.each<[string, object, string | undefined]>([
    ['Barbell Back Squat', { reps: 5, weightKg: 100, rpe: 8, tempo: '3-1-1-0', restSeconds: 120 }, undefined],
    ['Barbell Back Squat', { type: 'DROP', repRange: { min: 8, max: 12 } }, undefined],
    ['Barbell Back Squat', { durationSeconds: 30 }, 'exercises.0.entries.0.sets.0'],
    ['Barbell Back Squat', { reps: 5, repRange: { min: 5, max: 6 } }, 'exercises.0.entries.0.sets.0'],
    ['Barbell Back Squat', { reps: 5, distanceMeters: 10 }, 'exercises.0.entries.0.sets.0.distanceMeters'],
    ['Push-Up', { reps: 10 }, undefined],
    ['Push-Up', { reps: 10, weightKg: 10 }, undefined],
    ['Push-Up', { reps: 10, assistedKg: 15 }, undefined],
    ['Burpee', { reps: 10, weightKg: 10 }, 'exercises.0.entries.0.sets.0.weightKg'],
    ['Burpee', { reps: 10, assistedKg: 10 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Pull-Up', { reps: 5, weightKg: 10 }, undefined],
    ['Pull-Up', { reps: 5, assistedKg: 20.5 }, undefined],
    ['Pull-Up', { reps: 5, weightKg: 10, assistedKg: 20 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Pull-Up', { reps: 5, weightKg: 0, assistedKg: 0 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Pull-Up', { reps: 5, assistedKg: -1 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Pull-Up', { reps: 5, assistedKg: 1_001 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Pull-Up', { assistedKg: 20 }, 'exercises.0.entries.0.sets.0'],
    ['Assisted Dip Machine', { repRange: { min: 5, max: 8 }, assistedKg: 30 }, undefined],
    ['Hanging Leg Raise', { reps: 8, weightKg: 5 }, undefined],
    ['Barbell Back Squat', { reps: 5, assistedKg: 20 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Plank', { durationSeconds: 60 }, undefined],
    ['Plank', { durationSeconds: 60, weightKg: 20 }, undefined],
    ['Plank', { durationSeconds: 60, assistedKg: 20 }, 'exercises.0.entries.0.sets.0.assistedKg'],
    ['Plank', { reps: 10 }, 'exercises.0.entries.0.sets.0'],
    ['Plank', { durationSeconds: 60, tempo: '3-1-1-0' }, 'exercises.0.entries.0.sets.0.tempo'],
    ['Rowing Machine', { distanceMeters: 500, durationSeconds: 120 }, undefined],
    ['Rowing Machine', { durationSeconds: 120, weightKg: 1 }, 'exercises.0.entries.0.sets.0.weightKg'],
    ["Farmer's Walk", { distanceMeters: 40, weightKg: 32 }, undefined],
    ["Farmer's Walk", { durationSeconds: 40, weightKg: 32 }, undefined],
    ['Push-Up', { reps: 0 }, 'exercises.0.entries.0.sets.0.reps'],
    ['Push-Up', { reps: 5, type: 'SUPER' }, 'exercises.0.entries.0.sets.0.type'],
    ['Push-Up', { reps: 5, colour: 'red' }, 'exercises.0.entries.0.sets.0.colour'],
  ])('accept or refuse the exercise %s with the set %j', async (name, set, wrongPath) => {
    const body = { ...ROUTINE, exercises: await sets(name, set) };
    const byRest = await rest('admin@iron.test', 'POST', '/workouts', body);
    const byGraph = await graph(
      'admin@iron.test',
      'mutation($input: CreateWorkoutInput!) { createWorkout(input: $input) { title exercises } }',
      { input: body },
    );
    const wrong: string[] = byRest.body.errors?.map((error: { path: string }) => error.path) ?? [];
    const refused = wrongPath !== undefined;
    expect({ status: byRest.status, named: wrong.includes(wrongPath ?? '') }).toEqual({
      status: refused ? 400 : 201,
      named: refused,
    });
    expect(byGraph.errors?.[0]?.extensions.code ?? byGraph.data.createWorkout.exercises).toEqual(
      refused ? 'VALIDATION_FAILED' : byRest.body.exercises,
    );
  });

  test('have by default the muscles, equipment and duration of their exercises', async () => {
    const { body } = await rest('admin@iron.test', 'POST', '/workouts', {
      ...ROUTINE,
      exercises: await sets('Barbell Back Squat', { reps: 5, restSeconds: 100 }),
    });
    expect(body).toMatchObject({ targetMuscles: ['quadriceps'], equipment: ['barbell'], durationMinutes: 2 });
  });

  test('cannot contain an exercise of another gym', async () => {
    const { body: foreign } = await rest('admin@aqua.test', 'POST', '/exercises', EXERCISE);
    const body = {
      ...ROUTINE,
      exercises: [{ entries: [{ exerciseId: foreign.id, sets: [{ distanceMeters: 10 }] }] }],
    };
    expect(await rest('admin@iron.test', 'POST', '/workouts', body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'exercises.0.entries.0.exerciseId' }] },
    });
    expect(await rest('super@demo.test', 'POST', '/workouts', body)).toMatchObject({ status: 400 }); // a global routine
    expect(
      await rest('super@demo.test', 'POST', '/workouts', { ...body, gymId: DEMO_GYMS.aquaClub.id }),
    ).toMatchObject({ status: 201 });
  });

  test('get a version by every change; old versions can be read, also after the routine was deleted', async () => {
    const { body: first } = await rest('admin@iron.test', 'POST', '/workouts', {
      ...ROUTINE,
      title: 'First',
    });
    const path = `/workouts/${first.id}`;
    const second = await rest('admin@iron.test', 'PUT', path, { title: 'Second' }, { 'If-Match': '"1"' });
    expect(second).toMatchObject({ status: 200, body: { title: 'Second', version: 2 } });
    expect(second.headers.get('etag')).toBe('"2"');
    expect(
      await rest('admin@iron.test', 'PUT', path, { title: 'Lost' }, { 'If-Match': '"1"' }),
    ).toMatchObject({ status: 412, body: { code: 'VERSION_CONFLICT' } });
    expect(
      (
        await graph(
          'admin@iron.test',
          'mutation($id: ID!) { updateWorkout(input: { id: $id, title: "Lost", version: 1 }) { id } }',
          { id: first.id },
        )
      ).errors?.[0]?.extensions.code,
    ).toBe('VERSION_CONFLICT');
    expect((await rest('maya@iron.test', 'GET', `${path}?version=1`)).body.title).toBe('First');
    expect(
      (await rest('maya@iron.test', 'GET', `${path}/versions`)).body.map(
        ({ version }: { version: number }) => version,
      ),
    ).toEqual([2, 1]);
    expect((await rest('maya@iron.test', 'GET', `${path}?version=3`)).status).toBe(404);
    expect((await rest('zoe@aqua.test', 'GET', `${path}?version=1`)).status).toBe(404);
    expect((await rest('admin@iron.test', 'DELETE', path)).status).toBe(204);
    expect((await rest('maya@iron.test', 'GET', path)).status).toBe(404);
    const { data } = await graph(
      'maya@iron.test',
      'query($id: ID!) { workout(id: $id, version: 1) { title version } _entities(representations: [{ __typename: "WorkoutRoutine", id: $id, version: 2 }]) { ... on WorkoutRoutine { title } } }',
      { id: first.id },
    );
    expect(data).toEqual({ workout: { title: 'First', version: 1 }, _entities: [{ title: 'Second' }] });
  });

  test('keep their versions after their deletion, and the same users as before may read and list them', async () => {
    const { body: first } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const path = `/workouts/${first.id}`;
    await rest('admin@iron.test', 'PUT', path, { title: 'Second' });
    const before = await rest('maya@iron.test', 'GET', `${path}/versions`);
    expect((await rest('admin@iron.test', 'DELETE', path)).status).toBe(204);
    const statuses = async (at: string) => {
      const answered: number[] = [];
      for (const who of ['maya@iron.test', 'admin@iron.test', 'super@demo.test', 'zoe@aqua.test', 'anyone'])
        answered.push((await rest(who, 'GET', at)).status);
      return answered;
    };
    expect(await statuses(`${path}/versions`)).toEqual([200, 200, 200, 404, 404]);
    expect(await statuses(`${path}?version=1`)).toEqual([200, 200, 200, 404, 404]);
    expect((await rest('maya@iron.test', 'GET', `${path}/versions`)).body).toEqual(before.body);
    const { data, errors } = await graph(
      'maya@iron.test',
      'query($id: ID!) { workout(id: $id, version: 1) { versions { version title } } }',
      { id: first.id },
    );
    expect(errors).toBeUndefined();
    expect(data.workout.versions).toEqual([
      { version: 2, title: 'Second' },
      { version: 1, title: ROUTINE.title },
    ]);
  });

  test('accept exactly one of several simultaneous changes of one version', async () => {
    const { body } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_unused, index) =>
        rest('admin@iron.test', 'PUT', `/workouts/${body.id}`, { title: `Mine ${index}`, version: 1 }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
  });
});
