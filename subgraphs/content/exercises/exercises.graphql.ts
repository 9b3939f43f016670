import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import { muscleMap } from './muscle-map.ts';
import type { Resolvers } from '../resolvers.generated.ts';

const SORT = { NAME: 'name', NEWEST: 'newest' } as const;

export const exercisesGraphql = {
  Query: {
    exercises: async (_root, { first, after, sort, ...filter }, { exercises }) =>
      connectionOf(await exercises.list({ ...filter, sort: sort && SORT[sort] }, pageOf({ first, after }))),
    exercise: (_root, { id }, { exercises }) => orNull(exercises.get(id)),
    muscles: (_root, _args, { exercises }) => exercises.muscles(),
    equipment: (_root, _args, { exercises }) => exercises.equipment(),
    exerciseCategories: (_root, _args, { exercises }) => exercises.categories(),
  },
  Mutation: {
    createExercise: (_root, { input }, { exercises }) => exercises.create(input),
    updateExercise: (_root, { input: { id, ...change } }, { exercises }) => exercises.update(id, change),
    deleteExercise: async (_root, { input }, { exercises }) => {
      await exercises.delete(input.id, input.version ?? undefined);
      return true;
    },
  },
  Exercise: {
    muscleMap: (exercise) => muscleMap(exercise),
    // Also if it is deleted, so that what refers to it can still name it.
    __resolveReference: async ({ id }, { exercises }) => exercises.find(id),
  },
} satisfies Resolvers;
