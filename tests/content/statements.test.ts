import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content', 'gym'] });
});
afterAll(() => platform.stop());

/** Leaves out the statements of the other services, which run in the same process. */
const readsContent = (statement: string) =>
  /^\s*select.* from (workout_routine|exercise)\b/is.test(statement);

test('a page of fifty routines with their exercises takes as many statements as a page of two', async () => {
  const token = await platform.demo('super@demo.test');
  const { body: library } = await platform.rest('content', 'GET', '/exercises?limit=200');
  const weighted = library.filter(({ modality }: { modality: string }) => modality === 'WEIGHT_REPS');
  for (let index = 0; index < 50; index++) {
    const exercises = [0, 1, 2].map((offset) => weighted[(index * 3 + offset) % weighted.length]);
    const body = {
      title: `Page ${index}`,
      difficulty: 'Beginner',
      category: 'Counting',
      exercises: exercises.map(({ id }) => ({ entries: [{ exerciseId: id, sets: [{ reps: 5 }] }] })),
    };
    expect((await platform.rest('content', 'POST', '/workouts', { token, body })).status).toBe(201);
  }
  const query =
    'query($first: Int) { workouts(first: $first, category: "Counting") { nodes { title exerciseList { name primaryMuscles } } } }';
  const page = async (first: number) => {
    const statements = await selectsDuring(async () => {
      const { data } = await platform.graph('content', query, { first }, { token });
      expect(data.workouts.nodes).toHaveLength(first);
    });
    return statements.filter(readsContent);
  };
  const [two, fifty] = [await page(2), await page(50)];
  expect(two).toHaveLength(2);
  expect(fifty).toHaveLength(2);

  // In this way the gateway reads the routines to which squads and gyms refer.
  const { body: routines } = await platform.rest('content', 'GET', '/workouts?category=Counting&limit=50');
  const representations = routines.map(({ id }: { id: string }) => ({ __typename: 'WorkoutRoutine', id }));
  const byReference = await selectsDuring(async () => {
    const { data } = await platform.graph(
      'content',
      'query($all: [_Any!]!) { _entities(representations: $all) { ... on WorkoutRoutine { title exerciseList { name } } } }',
      { all: representations },
      { token },
    );
    expect(data._entities.every((routine: { title: string }) => routine.title)).toBe(true);
  });
  expect(byReference.filter(readsContent)).toHaveLength(2);
});
