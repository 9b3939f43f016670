import type { ApiTag } from '#server/rest/route.ts';

/** The tags of the service's REST operations, which group them in the API reference. */
export const TAGS = {
  exercises: { name: 'Exercises', description: 'The exercise library, with muscles and equipment.' },
  workouts: { name: 'Workouts', description: 'Workout routines and their versions.' },
  trainings: {
    name: 'Trainings',
    description: 'What a user has trained: sets, records, progress, import and export.',
  },
  products: { name: 'Products', description: 'Supplements and merchandise that gyms offer in their shops.' },
  pictures: { name: 'Pictures', description: 'The pictures of routines, exercises and products.' },
} as const satisfies Readonly<Record<string, ApiTag>>;
