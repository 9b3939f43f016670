import type { Resolvers } from '../resolvers.generated.ts';

export const locationsGraphql = {
  Query: {
    locations: (_root, { gymId }, { locations }) => locations.list(gymId),
  },
  Mutation: {
    createLocation: (_root, { input }, { locations }) => locations.create(input),
    updateLocation: (_root, { input: { id, ...change } }, { locations }) => locations.update(id, change),
  },
  Gym: {
    locations: (gym, _args, { locations }) => locations.ofGym(gym.id),
  },
  Location: {
    __resolveReference: async ({ id }, { locations }) => locations.get(id),
    occupancy: (location, _args, { locations }) => locations.occupancy(location),
  },
} satisfies Resolvers;
