import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

const SORT = { TITLE: 'title', NEWEST: 'newest', DURATION: 'duration' } as const;

export const workoutsGraphql = {
  Query: {
    workouts: async (_root, { first, after, sort, ...filter }, { workouts }) =>
      connectionOf(await workouts.list({ ...filter, sort: sort && SORT[sort] }, pageOf({ first, after }))),
    workout: (_root, { id, version }, { workouts }) => workouts.find(id, version),
    workoutsByCategory: async (_root, { category, first, after }, { workouts }) =>
      connectionOf(await workouts.list({ category, sort: 'title' }, pageOf({ first, after }))),
  },
  Mutation: {
    createWorkout: (_root, { input }, { workouts }) => workouts.create(input),
    updateWorkout: (_root, { input: { id, ...change } }, { workouts }) => workouts.update(id, change),
    copyWorkout: (_root, { input: { id, ...change } }, { workouts }) => workouts.copy(id, change),
    setWorkoutFavourite: (_root, { input }, { workoutFavourites }) =>
      workoutFavourites.set(input.id, input.favourite),
    deleteWorkout: async (_root, { input }, { workouts }) => {
      await workouts.delete(input.id, input.version ?? undefined);
      return true;
    },
  },
  User: {
    nextWorkout: ({ id }, _args, { nextWorkouts }) => nextWorkouts.find(id),
  },
  WorkoutRoutine: {
    __resolveReference: async (reference, { workouts }) => {
      if ('versionId' in reference) return workouts.findVersion(reference.versionId);
      return workouts.find(reference.id, 'version' in reference ? reference.version : undefined);
    },
    versionId: ({ id, version }) => `${id}:${version}`,
    favourite: ({ id }, _args, { workoutFavourites }) => workoutFavourites.has(id),
    exerciseList: (routine, _args, { workouts }) => workouts.exercisesOf(routine),
    versions: (routine, _args, { workouts }) => workouts.versions(routine.id),
  },
} satisfies Resolvers;
