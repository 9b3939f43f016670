import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const trainingsGraphql = {
  Query: {
    training: (_root, { id }, { trainings }) => trainings.get(id),
  },
  Mutation: {
    logTraining: (_root, { input }, { trainings }) => trainings.log(input),
    updateTraining: (_root, { input: { id, ...change } }, { trainings }) => trainings.update(id, change),
    deleteTraining: async (_root, { input }, { trainings }) => {
      await trainings.delete(input.id, input.version ?? undefined);
      return true;
    },
    logTrainingSet: (_root, { input: { trainingId, setId, version, ...set } }, { trainings }) =>
      trainings.putSet(trainingId, setId, set, version ?? undefined),
    copyTraining: (_root, { input: { id, ...change } }, { trainings }) => trainings.copy(id, change),
  },
  Training: {
    entries: async ({ id, entries }, _args, { trainingLog }) => entries ?? trainingLog.entriesOf(id),
    __resolveReference: async ({ id }, { trainings }) => trainings.get(id),
    routine: ({ routineId, routineVersion }, _args, { workouts }) =>
      routineId ? workouts.find(routineId, routineVersion) : null,
  },
  TrainingEntry: {
    exercise: ({ exerciseId }, _args, { exercises }) => exercises.find(exerciseId),
  },
  User: {
    // The reference reveals nothing; each field checks the rights.
    __resolveReference: async (reference) => reference,
    trainings: async ({ id }, { first, after, ...filter }, { trainingLog }) =>
      connectionOf(await trainingLog.listWithoutEntries(id, filter, pageOf({ first, after }))),
  },
} satisfies Resolvers;
