import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, socketOf, type Person } from './support/people.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content', 'squad'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
const update = (change: object) => ({
  eventId: randomUUID(),
  exerciseIndex: 0,
  setIndex: 0,
  phase: 'WORK',
  ...change,
});

/** A routine of the gym: a block of one exercise with three sets, then a superset of two exercises with two sets each. */
async function routine(): Promise<{ id: string; exerciseIds: string[] }> {
  const exercises = await Promise.all(
    ['WEIGHT_REPS', 'BODYWEIGHT_REPS', 'DURATION'].map((modality) => exerciseOf(platform, modality)),
  );
  const [bench, pullUp, plank] = exercises.map(({ id }) => id) as [string, string, string];
  const { status, body } = await platform.rest('content', 'POST', '/workouts', {
    token: staff,
    body: {
      title: `Push and hold ${randomUUID()}`,
      difficulty: 'Beginner',
      category: 'Strength',
      exercises: [
        { entries: [{ exerciseId: bench, sets: [{ reps: 5 }, { reps: 5 }, { reps: 5 }] }] },
        {
          entries: [
            { exerciseId: pullUp, sets: [{ reps: 8 }, { reps: 8 }] },
            { exerciseId: plank, sets: [{ durationSeconds: 30 }, { durationSeconds: 30 }] },
          ],
        },
      ],
    },
  });
  expect(status).toBe(201);
  return { id: body.id, exerciseIds: [bench, pullUp, plank] };
}

async function squadWith(routineId?: string): Promise<{ maya: Person; squadId: string; squad: object }> {
  const maya = await platform.register();
  const { status, body } = await rest(maya, 'POST', '/squads', routineId ? { routineId } : {});
  expect(status).toBe(201);
  return { maya, squadId: body.id, squad: body };
}

describe('a squad that trains a routine', () => {
  test('is opened with the current version of the routine, and not with a routine that does not exist', async () => {
    const { id } = await routine();
    const { squad } = await squadWith(id);
    expect(squad).toMatchObject({ routineId: id, routineVersion: 1 });
    const maya = await platform.register();
    const unknown = await rest(maya, 'POST', '/squads', { routineId: randomUUID() });
    expect([unknown.status, unknown.body.code, unknown.body.errors]).toMatchObject([
      400,
      'VALIDATION_FAILED',
      [{ path: 'routineId' }],
    ]);
    expect((await rest(maya, 'GET', '/squads')).body).toEqual([]);
  });

  test.each([
    ['an exercise that the routine does not have', { exerciseIndex: 3 }, 'exerciseIndex'],
    ['a set that the exercise does not have', { setIndex: 3 }, 'setIndex'],
    ['a set that the superset does not have', { exerciseIndex: 2, setIndex: 2 }, 'setIndex'],
    ['another exercise than the one at this index', { exerciseId: randomUUID() }, 'exerciseId'],
    [
      'a measure that the exercise does not have',
      { set: { reps: 5, durationSeconds: 9 } },
      'set.durationSeconds',
    ],
    [
      'a weight for an exercise without one',
      { exerciseIndex: 1, set: { reps: 5, weightKg: 9 } },
      'set.weightKg',
    ],
    ['reps for an exercise whose sets have a duration', { exerciseIndex: 2, set: { reps: 5 } }, 'set.reps'],
    ['a set without its measure', { exerciseIndex: 2, set: { rpe: 5 } }, 'set.durationSeconds'],
    ['a rest that ended long ago', { restEndsAt: '1999-01-01T00:00:00Z' }, 'restEndsAt'],
    ['a rest that ends in years', { restEndsAt: '2099-01-01T00:00:00Z' }, 'restEndsAt'],
  ])('refuses %s at its field, and nothing changes', async (_what, change, path) => {
    const { maya, squadId, squad } = await squadWith((await routine()).id);
    const answer = await rest(maya, 'POST', `/squads/${squadId}/workout`, update(change));
    expect(answer.body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', errors: [{ path }] });
    const socket = await socketOf(platform, maya);
    await expect(
      socket.send('update_workout', { squadId, ...update(change) } as never),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const { errors } = await platform.graph(
      'squad',
      'mutation($i: UpdateSquadWorkoutInput!) { updateSquadWorkout(input: $i) { id } }',
      { i: { squadId, ...update(change) } },
      { token: maya.token },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path }] });
    expect((await rest(maya, 'GET', `/squads/${squadId}`)).body).toEqual(squad);
    await socket.close();
  });

  test('keeps its version when the routine changes', async () => {
    const { id, exerciseIds } = await routine();
    const { maya, squadId } = await squadWith(id);
    await platform.rest('content', 'PUT', `/workouts/${id}`, {
      token: staff,
      body: { exercises: [{ entries: [{ exerciseId: exerciseIds[2], sets: [{ durationSeconds: 5 }] }] }] },
    });
    const answer = await rest(
      maya,
      'POST',
      `/squads/${squadId}/workout`,
      update({ exerciseIndex: 1, setIndex: 1, set: { reps: 8 } }),
    );
    expect(answer.status).toBe(200);
  });

  test('moves no participant back, even if their updates arrive in another order', async () => {
    const { id } = await routine();
    // The order of the workout: the first block set by set, then the superset round by round.
    const order = [
      [0, 0],
      [0, 1],
      [0, 2],
      [1, 0],
      [2, 0],
      [1, 1],
      [2, 1],
    ] as const;
    const { maya, squadId } = await squadWith(id);
    const shuffled = order
      .flatMap(([exerciseIndex, setIndex], place) =>
        (['WORK', 'REST'] as const).map((phase, half) => ({
          exerciseIndex,
          setIndex,
          phase,
          place: place * 2 + half,
        })),
      )
      .map((one) => ({ one, at: Math.random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
    let furthest = -1;
    for (const { place, ...where } of shuffled) {
      furthest = Math.max(furthest, place);
      const { body } = await rest(maya, 'POST', `/squads/${squadId}/workout`, update(where));
      const { exerciseIndex, setIndex, phase } = body.session.participants[0];
      const [expectedExercise, expectedSet] = order[Math.floor(furthest / 2)] as readonly [number, number];
      expect({ exerciseIndex, setIndex, phase }).toEqual({
        exerciseIndex: expectedExercise,
        setIndex: expectedSet,
        phase: furthest % 2 ? 'REST' : 'WORK',
      });
    }
  });

  test('counts a set only once, corrects it by a second update, and accepts a late set', async () => {
    const { maya, squadId } = await squadWith((await routine()).id);
    const send = async (setIndex: number, reps: number) =>
      (
        await rest(
          maya,
          'POST',
          `/squads/${squadId}/workout`,
          update({ setIndex, set: { reps, weightKg: 60 } }),
        )
      ).body.session.participants[0];
    expect(await send(0, 5)).toMatchObject({ setsDone: 1, lastSet: { reps: 5 } });
    expect(await send(0, 6)).toMatchObject({ setsDone: 1, lastSet: { reps: 6 } });
    expect(await send(2, 4)).toMatchObject({ setsDone: 2, setIndex: 2, lastSet: { reps: 4 } });
    expect(await send(1, 3)).toMatchObject({ setsDone: 3, setIndex: 2, lastSet: { reps: 4 } });
    expect(await send(2, 4)).toMatchObject({ setsDone: 3 });
    await rest(maya, 'POST', `/squads/${squadId}/end`);
    expect((await rest(maya, 'GET', `/history/${maya.id}`)).body).toMatchObject([{ squadId, sets: 3 }]);
  });
});

test('a squad whose routine has no exercises requires the exercise, and names this reason', async () => {
  const { body } = await platform.rest('content', 'POST', '/workouts', {
    token: staff,
    body: { title: `Free ${randomUUID()}`, difficulty: 'Beginner', category: 'Strength', exercises: [] },
  });
  const { maya, squadId } = await squadWith(body.id);
  const send = (change: object) => rest(maya, 'POST', `/squads/${squadId}/workout`, update(change));
  expect((await send({})).body).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [{ path: 'exerciseId', message: expect.stringContaining('routine has no exercises') }],
  });
  const { id: exerciseId } = await exerciseOf(platform);
  expect((await send({ exerciseId })).status).toBe(200);
});

describe('a squad without a routine', () => {
  test('requires the id of an existing exercise, and checks the measures of a set by its modality', async () => {
    const { maya, squadId } = await squadWith();
    const plank = await exerciseOf(platform, 'DURATION');
    const send = (change: object) => rest(maya, 'POST', `/squads/${squadId}/workout`, update(change));
    for (const exerciseId of [undefined, randomUUID(), 'no-uuid'])
      expect((await send({ exerciseId })).body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'exerciseId' }],
      });
    for (let time = 0; time < 2; time += 1)
      expect((await send({ exerciseId: plank.id, set: { reps: 3 } })).body).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'set.reps' }],
      });
    const answer = await send({ exerciseId: plank.id, set: { durationSeconds: 40 } });
    expect(answer.body.session.participants[0]).toMatchObject({
      setsDone: 1,
      lastSet: { durationSeconds: 40 },
    });
  });

  test('accepts a rest that ends soon, and returns the first revision for a repeated event', async () => {
    const { maya, squadId } = await squadWith();
    const { id: exerciseId } = await exerciseOf(platform);
    const restEndsAt = new Date(Date.now() + 90_000).toISOString();
    const body = update({ exerciseId, phase: 'REST', restEndsAt });
    const { status, body: first } = await rest(maya, 'POST', `/squads/${squadId}/workout`, body);
    expect([status, first.session.participants[0].restEndsAt]).toEqual([200, restEndsAt]);
    const again = { ...body, restEndsAt: '1999-01-01T00:00:00Z' };
    expect((await rest(maya, 'POST', `/squads/${squadId}/workout`, again)).body.revision).toBe(
      first.revision,
    );
  });
});

test('squad accepts the same measures of a set for each modality as content in a routine', async () => {
  const measures = { reps: 5, durationSeconds: 5, distanceMeters: 5, weightKg: 5 };
  const { body } = await platform.rest('content', 'GET', '/exercises?limit=200');
  const modalities = [...new Set((body as { modality: string }[]).map(({ modality }) => modality))];
  const { maya, squadId } = await squadWith();
  for (const [index, modality] of modalities.entries()) {
    const { id: exerciseId } = await exerciseOf(platform, modality);
    for (let bits = 1; bits < 16; bits += 1) {
      const set = Object.fromEntries(Object.entries(measures).filter((_measure, bit) => bits & (1 << bit)));
      const planned = await platform.rest('content', 'POST', '/workouts', {
        token: staff,
        body: {
          title: 'One set',
          difficulty: 'Beginner',
          category: 'Strength',
          exercises: [{ entries: [{ exerciseId, sets: [set] }] }],
        },
      });
      const done = await rest(
        maya,
        'POST',
        `/squads/${squadId}/workout`,
        update({ exerciseIndex: index, exerciseId, set }),
      );
      expect([modality, set, done.status]).toEqual([modality, set, planned.status === 201 ? 200 : 400]);
    }
  }
});
