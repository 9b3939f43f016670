import { connectionOf, pageOf } from '#server/graphql/connection.ts';
import { orNull } from '#server/graphql/or-null.ts';
import { uploadedFile } from '#server/graphql/uploads.ts';
import type { Resolvers } from '../resolvers.generated.ts';

export const postsGraphql = {
  Query: {
    posts: async (_root, { gymId, ...page }, { posts }) =>
      connectionOf(await posts.list(gymId, pageOf(page))),
    post: (_root, { id }, { posts }) => orNull(posts.get(id)),
    postReports: async (_root, { gymId, ...page }, { postReports }) =>
      connectionOf(await postReports.list(gymId, pageOf(page))),
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
    commentPost: (_root, { input: { postId, ...input } }, { comments }) => comments.create(postId, input),
    deleteComment: async (_root, { input: { postId, commentId } }, { comments }) => {
      await comments.delete(postId, commentId);
      return true;
    },
    reportPost: (_root, { input: { postId, ...input } }, { postReports }) =>
      postReports.reportPost(postId, input),
    reportComment: (_root, { input: { postId, commentId, ...input } }, { postReports }) =>
      postReports.reportComment(postId, commentId, input),
    dismissPostReports: async (_root, { input: { postId, commentId } }, { postReports }) => {
      if (commentId) await postReports.dismissOfComment(postId, commentId);
      else await postReports.dismissOfPost(postId);
      return true;
    },
  },
  Gym: {
    posts: async ({ id }, page, { posts }) => connectionOf(await posts.list(id, pageOf(page))),
  },
  Post: {
    __resolveReference: async ({ id }, { posts }) => posts.get(id),
    author: ({ authorId }) => (authorId ? { id: authorId } : null),
    likes: async ({ id }, { first }, { posts }) =>
      (await posts.likers(id, first)).map((userId) => ({ id: userId })),
    comments: async ({ id }, page, { comments }) => connectionOf(await comments.list(id, pageOf(page))),
  },
  Comment: {
    author: ({ authorId }) => ({ id: authorId }),
  },
  PostReport: {
    post: ({ postId }, _args, { posts }) => orNull(posts.get(postId)),
    comment: ({ postId, commentId }, _args, { comments }) =>
      commentId ? orNull(comments.find(postId, commentId)) : null,
    reporter: ({ reporterId }) => ({ id: reporterId }),
  },
} satisfies Resolvers;
