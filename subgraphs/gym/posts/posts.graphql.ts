import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const postsGraphql = {
  Query: {
    posts: async (_root, { gymId, ...page }, { posts }) =>
      connectionOf(await posts.list(gymId, pageOf(page))),
    post: (_root, { id }, { posts }) => orNull(posts.get(id)),
    postReports: async (_root, { gymId, ...page }, { posts }) =>
      connectionOf(await posts.reports(gymId, pageOf(page))),
  },
  Mutation: {
    createPost: async (_root, { input: { image, ...input } }, { posts }) =>
      posts.create(input, image ? (await uploadedFile(image, 'image')).bytes : undefined),
    deletePost: async (_root, { id, version }, { posts }) => {
      await posts.delete(id, version ?? undefined);
      return true;
    },
    likePost: (_root, { id }, { posts }) => posts.like(id),
    unlikePost: (_root, { id }, { posts }) => posts.unlike(id),
    commentPost: (_root, { input: { postId, ...input } }, { posts }) => posts.comment(postId, input),
    reportPost: (_root, { input: { postId, ...input } }, { posts }) => posts.report(postId, input),
  },
  Gym: {
    posts: async ({ id }, page, { posts }) => connectionOf(await posts.list(id, pageOf(page))),
  },
  Post: {
    __resolveReference: async ({ id }, { posts }) => posts.get(id),
    author: ({ authorId }) => (authorId ? { id: authorId } : null),
    likes: async ({ id }, { first }, { posts }) =>
      (await posts.likers(id, first)).map((userId) => ({ id: userId })),
    comments: async ({ id }, page, { posts }) => connectionOf(await posts.comments(id, pageOf(page))),
  },
  Comment: {
    author: ({ authorId }) => ({ id: authorId }),
  },
  PostReport: {
    post: ({ postId }, _args, { posts }) => orNull(posts.get(postId)),
    reporter: ({ reporterId }) => ({ id: reporterId }),
  },
} satisfies Resolvers;
