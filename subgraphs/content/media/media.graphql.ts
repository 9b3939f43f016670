import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const mediaGraphql = {
  Mutation: {
    uploadWorkoutImage: async (_root, { input }, { workouts }) =>
      workouts.setImage(input.id, (await uploadedFile(input.image, 'image')).bytes),
    uploadExerciseImage: async (_root, { input }, { exercises }) =>
      exercises.setImage(input.id, (await uploadedFile(input.image, 'image')).bytes),
    uploadProductImage: async (_root, { input }, { products }) =>
      products.addImage(input.id, (await uploadedFile(input.image, 'image')).bytes),
  },
} satisfies Resolvers;
