import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import type { Context } from '../services.ts';

export const locationsGraphql = {
  Query: {
    locations: (_root, { gymId }, { locations }) => locations.list(gymId),
    location: (_root, { id }, { locations }) => orNull(locations.get(id)),
  },
  Mutation: {
    createLocation: (_root, { input }, { locations }) => locations.create(input),
    updateLocation: (_root, { input: { id, ...change } }, { locations }) => locations.update(id, change),
    closeLocation: async (_root, { id, version }, { locations }) => {
      await locations.close(id, version);
      return true;
    },
  },
  Subscription: {
    occupancyChanged: {
      subscribe: (_root, { locationId }, { locations }) => locations.occupancyChanges(locationId),
      resolve: ({ locationId }: { locationId: string }, _args: unknown, { locations }: Context) =>
        locations.occupancyOf(locationId),
    },
  },
  Gym: {
    locations: (gym, _args, { locations }) => locations.ofGym(gym.id),
  },
  Location: {
    __resolveReference: async ({ id }, { locations }) => locations.get(id),
    gym: ({ gymId }, _args, { gyms }) => gyms.get(gymId),
    occupancy: async (location, _args, { locations }) => ({
      ...(await locations.occupancy(location)),
      locationId: location.id,
    }),
    occupancyHistory: ({ id }, range, { locations }) => locations.history(id, range),
  },
  Occupancy: {
    location: ({ locationId }, _args, { locations }) => locations.evenIfClosed(locationId),
  },
} satisfies Resolvers;
