import { describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { MEMBER_OF } from '../support/platform/test-accounts.ts';
import { BENCH, trainingLog, type Person } from './training-support.ts';

const { rest, register, platform } = trainingLog();

const ROUTINE = { title: 'Plan', difficulty: 'Beginner', category: 'Strength' };
const MOVE = { name: 'Sled Dance', primaryMuscles: ['Glutes'], modality: 'WEIGHT_REPS', equipment: 'sled' };
const using = (...ids: string[]) => [
  { entries: ids.map((exerciseId) => ({ exerciseId, sets: [{ type: 'NORMAL', reps: 5 }] })) },
];

const demo = async (email: 'admin@iron.test'): Promise<Person> => ({
  id: '',
  token: await platform().demo(email),
});
/** An exercise of the gym that its staff have deleted after a member used it in a routine of the wanted visibility. */
async function withDeletedExercise(visibility: 'PRIVATE' | 'GYM') {
  const [ana, staff] = [await register(), await demo('admin@iron.test')];
  const exercise = (await rest(staff, 'POST', '/exercises', MOVE)).body;
  const created = await rest(ana, 'POST', '/workouts', {
    ...ROUTINE,
    visibility,
    exercises: using(exercise.id, BENCH),
  });
  expect(created.status).toBe(201);
  expect((await rest(staff, 'DELETE', `/exercises/${exercise.id}`)).status).toBe(204);
  return { ana, staff, exercise, routine: created.body, path: `/workouts/${created.body.id}` };
}

describe('a routine with an exercise that was deleted', () => {
  it('can be copied, with all its exercises', async () => {
    const { ana, path, routine } = await withDeletedExercise('GYM');
    for (const who of [ana, await register()])
      expect(await rest(who, 'POST', `${path}/copy`)).toMatchObject({
        status: 201,
        body: {
          visibility: 'PRIVATE',
          exercises: routine.exercises,
          equipment: routine.equipment,
          targetMuscles: routine.targetMuscles,
        },
      });
  });

  it('can be copied if the modality of an exercise was changed, too', async () => {
    const [ana, staff] = [await register(), await demo('admin@iron.test')];
    const exercise = (await rest(staff, 'POST', '/exercises', MOVE)).body;
    const exercises = using(exercise.id);
    const { body } = await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises });
    await rest(staff, 'PUT', `/exercises/${exercise.id}`, { modality: 'DURATION' });
    expect(await rest(ana, 'POST', `/workouts/${body.id}/copy`)).toMatchObject({
      status: 201,
      body: { exercises },
    });
  });

  it('can become private, and be for the gym again', async () => {
    const { ana, path } = await withDeletedExercise('GYM');
    for (const visibility of ['PRIVATE', 'GYM'])
      expect(await rest(ana, 'PUT', path, { visibility })).toMatchObject({
        status: 200,
        body: { visibility },
      });
  });

  it.each(['PRIVATE', 'GYM'] as const)(
    'can be changed if its visibility is %s: it keeps the exercise, also in other sets, and gets no other deleted one',
    async (visibility) => {
      const { ana, path, routine, exercise } = await withDeletedExercise(visibility);
      const other = await withDeletedExercise(visibility);
      expect(await rest(ana, 'PUT', path, { exercises: routine.exercises, title: 'Same' })).toMatchObject({
        status: 200,
        body: { exercises: routine.exercises, equipment: routine.equipment, title: 'Same' },
      });
      const [block] = using(exercise.id);
      expect((await rest(ana, 'PUT', path, { exercises: [block, block] })).status).toBe(200);
      // The modality of the deleted exercise still decides about its sets.
      const wrong = [{ entries: [{ exerciseId: exercise.id, sets: [{ durationSeconds: 30 }] }] }];
      expect(await rest(ana, 'PUT', path, { exercises: wrong })).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'exercises.0.entries.0.sets.0' }, expect.anything()] },
      });
      expect((await rest(ana, 'PUT', path, { exercises: using(other.exercise.id) })).status).toBe(400);
      expect(
        (await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(exercise.id) })).status,
      ).toBe(400);
    },
  );
});

describe("a routine with an exercise of its owner's former gym", () => {
  it('can be changed and copied while it is private, but is not for the new gym', async () => {
    const [ben, staff] = [await platform().register(), await demo('admin@iron.test')];
    const exercise = (await rest(staff, 'POST', '/exercises', MOVE)).body;
    const { body: routine } = await rest(ben, 'POST', '/workouts', {
      ...ROUTINE,
      exercises: using(exercise.id),
    });
    await platform().sql('identity', MEMBER_OF, [DEMO_GYMS.aquaClub.id, ben.id]);
    const moved = { id: ben.id, token: await platform().login(ben.email, ben.password) };
    const path = `/workouts/${routine.id}`;
    expect((await rest(moved, 'GET', `/exercises/${exercise.id}`)).status).toBe(404);
    expect((await rest(moved, 'POST', `${path}/copy`)).status).toBe(201);
    expect((await rest(moved, 'PUT', path, { exercises: routine.exercises })).status).toBe(200);
    expect(await rest(moved, 'PUT', path, { visibility: 'GYM' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'exercises.0.entries.0.exerciseId' }] },
    });
  });
});
