import { invalid } from '#server/errors.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const gymsGraphql = {
  Query: {
    gym: (_root, { id, slug }, { gyms }) => {
      const idOrSlug = id ?? slug;
      if (!idOrSlug) throw invalid('', 'expected the id or the slug of a gym');
      return gyms.find(idOrSlug);
    },
    gyms: (_root, _args, { gyms }) => gyms.list(),
    gymConfig: async (_root, { gymId }, { gyms }) => (await gyms.find(gymId))?.config ?? null,
  },
  Mutation: {
    updateGymConfig: (_root, { input }, { gyms }) => gyms.updateConfig(input),
  },
  Gym: {
    __resolveReference: async (reference, { gyms }) =>
      gyms.find('id' in reference ? reference.id : reference.slug),
  },
  User: {
    gym: async (user, _args, { gyms }) => (user.gymId ? gyms.find(user.gymId) : null),
  },
} satisfies Resolvers;
