import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { hourOf, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const ROUTINE = { title: 'For all', difficulty: 'Beginner', category: 'Strength' };
const move = (name: string) => ({
  name,
  aliases: ['My alias'],
  description: 'My words',
  instructions: ['My step'],
  primaryMuscles: ['Glutes'],
  modality: 'WEIGHT_REPS',
});
const using = (exerciseId: string) => [{ entries: [{ exerciseId, sets: [{ reps: 5 }] }] }];
/** What stays of such an exercise after the deletion of its owner's account. */
const KEPT = { aliases: [], description: null, instructions: [] };

const erase = async (userId: string) =>
  platform().rest('content', 'DELETE', `/accounts/${userId}`, {
    token: await platform().serviceToken('identity'),
  });

/** A user of the gym, with a routine for the gym that uses their custom exercise. */
async function author(name: string) {
  const ana = await register();
  const exercise = (await rest(ana, 'POST', '/exercises', move(name))).body;
  const routine = (
    await rest(ana, 'POST', '/workouts', { ...ROUTINE, visibility: 'GYM', exercises: using(exercise.id) })
  ).body;
  return { ana, exercise, routine };
}

const ENTITY =
  'query($id: ID!) { _entities(representations: [{ __typename: "Exercise", id: $id }]) { ... on Exercise { name aliases description instructions } } }';
const entity = async (who: Person | undefined, id: string) =>
  (await graph(who, ENTITY, { id })).data._entities[0];

describe('a custom exercise whose owner has deleted their account', () => {
  it('is readable, without what its owner wrote about it, only through the routines and trainings that contain it', async () => {
    const { ana, exercise, routine } = await author('Log Push');
    const [ben, cora] = [await register(), await register()];
    const zoe = { id: '', token: await platform().demo('zoe@aqua.test') };
    expect((await rest(ben, 'POST', '/trainings', hourOf(exercise.id, [{ reps: 5 }]))).status).toBe(201);
    expect((await erase(ana.id)).body.outcome).toBe('ANONYMISED');

    for (const who of [undefined, zoe]) {
      expect(await entity(who, exercise.id)).toBeNull();
      expect(
        (await graph(who, 'query($id: ID!) { exercise(id: $id) { name } }', { id: exercise.id })).data
          .exercise,
      ).toBeNull();
    }
    const kept = { name: 'Log Push', ...KEPT };
    expect(await entity(cora, exercise.id)).toEqual(kept);
    expect((await rest(cora, 'GET', `/workouts/${routine.id}/exercises`)).body).toMatchObject([
      { ...kept, custom: true },
    ]);
    for (const who of [ben, cora, zoe, undefined])
      expect((await rest(who, 'GET', `/exercises/${exercise.id}`)).status).toBe(404);

    const staff = { id: '', token: await platform().demo('admin@iron.test') };
    expect((await rest(staff, 'DELETE', `/workouts/${routine.id}`)).status).toBe(204);
    expect([await entity(cora, exercise.id), await entity(ben, exercise.id)]).toEqual([null, kept]);
    const { data } = await graph(
      ben,
      `query($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) {
         ... on User { trainings { nodes { entries { exercise { name } } } } } } }`,
      { id: ben.id },
    );
    expect(data._entities[0].trainings.nodes).toEqual([{ entries: [{ exercise: { name: 'Log Push' } }] }]);
  });
});

describe('a routine for a gym whose owner has deleted their account', () => {
  it('names the owner in no stored version', async () => {
    const { ana, routine } = await author('Log Pull');
    await rest(ana, 'PUT', `/workouts/${routine.id}`, { title: 'For all of us' });
    // A replica of an earlier release stored the owner in each version.
    await platform().sql(
      'content',
      `update workout_routine_version set content = content || jsonb_build_object('ownerId', $1::text) where routine_id = $2 and version = 1`,
      [ana.id, routine.id],
    );
    await erase(ana.id);
    const stored = await platform().sql(
      'content',
      `select 1 from workout_routine_version where routine_id = $1 and content::text like '%' || $2 || '%'`,
      [routine.id, ana.id],
    );
    expect(stored).toEqual([]);
    const ben = await register();
    for (const version of [1, 2])
      expect((await rest(ben, 'GET', `/workouts/${routine.id}?version=${version}`)).body).toMatchObject({
        visibility: 'GYM',
        ownerId: null,
        version,
      });
  });
});

describe('a version of a routine', () => {
  it('is stored without its owner, and is read with them', async () => {
    const { ana, routine } = await author(`Log ${randomUUID()}`);
    await rest(ana, 'PUT', `/workouts/${routine.id}`, { title: 'Changed' });
    expect(
      await platform().sql(
        'content',
        `select 1 from workout_routine_version where routine_id = $1 and content::text like '%' || $2 || '%'`,
        [routine.id, ana.id],
      ),
    ).toEqual([]);
    expect((await rest(ana, 'GET', `/workouts/${routine.id}?version=1`)).body.ownerId).toBe(ana.id);
  });
});
