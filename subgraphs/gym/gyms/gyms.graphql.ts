import { invalid } from '#server/errors.ts';
import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const gymsGraphql = {
  Query: {
    gym: (_root, { id, slug }, { gyms }) => {
      const idOrSlug = id ?? slug;
      if (!idOrSlug) throw invalid('', 'expected the id or the slug of a gym');
      return gyms.find(idOrSlug);
    },
    gyms: (_root, args, { gyms }) => gyms.list(args),
    gymConfig: async (_root, { gymId }, { gyms }) => (await gyms.find(gymId))?.config ?? null,
    gymConfigDraft: (_root, { gymId }, { configs }) => orNull(configs.draft(gymId)),
    gymConfigHistory: async (_root, { gymId, ...page }, { configs }) =>
      connectionOf(await configs.history(gymId, pageOf(page))),
    designTokens: (_root, { gymId }, { configs }) => orNull(configs.designTokens(gymId)),
  },
  Mutation: {
    updateGym: (_root, { input: { gymId, ...change } }, { gyms }) => gyms.update(gymId, change),
    createGym: (_root, { input }, { gyms }) => gyms.create(input),
    updateGymConfig: (_root, { input }, { configs }) => configs.update(input),
    saveGymConfigDraft: (_root, { input: { gymId, ...groups } }, { configs }) =>
      configs.saveDraft(gymId, groups),
    publishGymConfigDraft: (_root, { gymId }, { configs }) => configs.publish(gymId),
    rollbackGymConfig: (_root, { input: { gymId, ...input } }, { configs }) => configs.rollback(gymId, input),
  },
  Gym: {
    __resolveReference: async (reference, { gyms }) =>
      gyms.find('id' in reference ? reference.id : reference.slug),
  },
  User: {
    gym: async (user, _args, { gyms }) => (user.gymId ? gyms.find(user.gymId) : null),
  },
} satisfies Resolvers;
