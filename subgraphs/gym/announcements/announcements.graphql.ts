import type { Resolvers } from '../resolvers.generated.ts';

export const announcementsGraphql = {
  Query: {
    announcements: (_root, { gymId }, { announcements }) => announcements.current(gymId),
  },
  Mutation: {
    createAnnouncement: (_root, { input }, { announcements }) => announcements.create(input),
    updateAnnouncement: (_root, { input: { id, ...change } }, { announcements }) =>
      announcements.update(id, change),
    deleteAnnouncement: async (_root, { id, version }, { announcements }) => {
      await announcements.delete(id, version ?? undefined);
      return true;
    },
  },
  Gym: {
    announcements: async ({ id }, _args, { announcements }) => announcements.current(id),
  },
  Announcement: {
    author: ({ authorId }) => (authorId ? { id: authorId } : null),
  },
} satisfies Resolvers;
