import { afterAll, beforeAll } from '@jest/globals';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

/**
 * Exercises of the library, whose sets have a weight and repetitions; repetitions with the weight of the body, and
 * perhaps more weight or assistance; a duration; a distance.
 */
export const BENCH = libraryExerciseId('Barbell Bench Press');
export const PULL_UP = libraryExerciseId('Pull-Up');
export const PLANK = libraryExerciseId('Plank');
export const RUN = libraryExerciseId('Treadmill Run');

export interface Person {
  id: string;
  token: string;
}

/** The instant that is so many hours ago. */
export const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

/** An hour of training that began so many hours ago, with one exercise. */
export const hourOf = (exerciseId: string, sets: readonly object[], began = 2) => ({
  startedAt: hoursAgo(began),
  endedAt: hoursAgo(began - 1),
  entries: [{ exerciseId, sets }],
});

/** Identity and content for all tests of a file, and calls of the content service. */
export function trainingLog() {
  let running: TestPlatform;
  beforeAll(async () => {
    running = await startPlatform({ services: ['identity', 'content'] });
  });
  afterAll(() => running.stop());
  return {
    platform: () => running,
    register: (): Promise<Person> => running.register(),
    rest: (
      who: Person | undefined,
      method: string,
      path: string,
      body?: unknown,
      headers?: Record<string, string>,
    ) =>
      running.rest('content', method, path, {
        ...(who && { token: who.token }),
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      }),
    graph: (who: Person | undefined, query: string, variables: object = {}) =>
      running.graph('content', query, variables, who && { token: who.token }),
  };
}
