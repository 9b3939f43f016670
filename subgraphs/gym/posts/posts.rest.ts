import { z } from 'zod';
import { notFound } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { pageQuery } from '#server/paging.ts';
import { GYM_STAFF, callers } from '#server/rest/callers.ts';
import { Reply, restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams, uuid } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Comments } from './comments.ts';
import type { PostReports } from './post-reports.ts';
import type { Posts } from './posts.ts';
import {
  CommentInput,
  CommentShape,
  CreatePostInput,
  PostShape,
  ReportInput,
  ReportShape,
} from './posts.shapes.ts';

const route = restRoute<{ posts: Posts; comments: Comments; postReports: PostReports }>(TAGS.posts, 'feed');
const fileRoute = restRoute<{ files: FileStorage }>(TAGS.posts);

const commentParams = idParams.extend({
  commentId: uuid().meta({ description: 'The id of the comment.' }),
});

export const postsRest = [
  route({
    method: 'GET',
    path: '/posts',
    operationId: 'listPosts',
    summary: "The posts of the caller's gym, newest first",
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: { status: 200, description: 'A page of posts.', shape: PostShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query: { gymId, ...page } }, { posts }) => posts.list(gymId, page),
  }),
  route({
    method: 'POST',
    path: '/posts',
    operationId: 'createPost',
    summary: 'Write a post',
    description: 'The body is JSON, or multipart with a picture in `image` (JPEG, PNG, WebP or AVIF).',
    auth: 'required',
    body: CreatePostInput,
    upload: { field: 'image', optional: true },
    success: { status: 201, description: 'The post.', shape: PostShape, variesWithinVersion: true },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED'],
    handler: ({ body, files }, { posts }) => posts.create(body, files[0]?.bytes),
  }),
  route({
    method: 'GET',
    path: '/posts/reports',
    operationId: 'listPostReports',
    summary: 'Reported posts and comments, latest report first',
    only: GYM_STAFF,
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape),
    success: { status: 200, description: 'A page of reports.', shape: ReportShape, page: true },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: ({ query: { gymId, ...page } }, { postReports }) => postReports.list(gymId, page),
  }),
  route({
    method: 'GET',
    path: '/posts/:id',
    operationId: 'getPost',
    summary: 'One post',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The post.', shape: PostShape, variesWithinVersion: true },
    handler: ({ params }, { posts }) => posts.get(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/posts/:id',
    operationId: 'deletePost',
    summary: 'Delete a post',
    only: callers('its author, staff of the gym', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    params: idParams,
    versioned: true,
    success: { status: 204, description: 'The post is deleted, with its comments and likes.' },
    errors: ['FORBIDDEN', 'VERSION_CONFLICT'],
    handler: ({ params, expectedVersion }, { posts }) => posts.delete(params.id, expectedVersion),
  }),
  route({
    method: 'PUT',
    path: '/posts/:id/like',
    operationId: 'likePost',
    summary: 'Like a post',
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The liked post.', shape: PostShape, variesWithinVersion: true },
    errors: ['CONFLICT'],
    handler: ({ params }, { posts }) => posts.like(params.id),
  }),
  route({
    method: 'DELETE',
    path: '/posts/:id/like',
    operationId: 'unlikePost',
    summary: 'Remove a like',
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: 'The post without the like.',
      shape: PostShape,
      variesWithinVersion: true,
    },
    handler: ({ params }, { posts }) => posts.unlike(params.id),
  }),
  route({
    method: 'GET',
    path: '/posts/:id/comments',
    operationId: 'listComments',
    summary: 'Comments of a post, oldest first',
    auth: 'required',
    params: idParams,
    query: pageQuery,
    success: { status: 200, description: 'A page of comments.', shape: CommentShape, page: true },
    handler: ({ params, query }, { comments }) => comments.list(params.id, query),
  }),
  route({
    method: 'POST',
    path: '/posts/:id/comments',
    operationId: 'createComment',
    summary: 'Comment on a post',
    auth: 'required',
    params: idParams,
    body: CommentInput,
    success: { status: 201, description: 'The comment.', shape: CommentShape },
    errors: ['CONFLICT'],
    handler: ({ params, body }, { comments }) => comments.create(params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/posts/:id/comments/:commentId',
    operationId: 'deleteComment',
    summary: 'Delete a comment',
    description: 'Its reports are deleted with it. Audited if the caller is not its author.',
    only: callers('its author, staff of the gym', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    params: commentParams,
    success: { status: 204, description: 'The comment is deleted.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { comments }) => comments.delete(params.id, params.commentId),
  }),
  route({
    method: 'POST',
    path: '/posts/:id/report',
    operationId: 'reportPost',
    summary: "Report a post to the gym's admins",
    auth: 'required',
    params: idParams,
    body: ReportInput,
    success: { status: 201, description: 'The report.', shape: ReportShape },
    handler: ({ params, body }, { postReports }) => postReports.reportPost(params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/posts/:id/reports',
    operationId: 'dismissPostReports',
    summary: 'Dismiss the reports of a post; the post stays; audited',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The post has no reports.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { postReports }) => postReports.dismissOfPost(params.id),
  }),
  route({
    method: 'POST',
    path: '/posts/:id/comments/:commentId/report',
    operationId: 'reportComment',
    summary: "Report a comment to the gym's admins",
    auth: 'required',
    params: commentParams,
    body: ReportInput,
    success: { status: 201, description: 'The report.', shape: ReportShape },
    handler: ({ params, body }, { postReports }) =>
      postReports.reportComment(params.id, params.commentId, body),
  }),
  route({
    method: 'DELETE',
    path: '/posts/:id/comments/:commentId/reports',
    operationId: 'dismissCommentReports',
    summary: 'Dismiss the reports of a comment; the comment stays; audited',
    only: GYM_STAFF,
    auth: 'required',
    params: commentParams,
    success: { status: 204, description: 'The comment has no reports.' },
    errors: ['FORBIDDEN'],
    handler: ({ params }, { postReports }) => postReports.dismissOfComment(params.id, params.commentId),
  }),
  fileRoute({
    method: 'GET',
    path: '/media/:file',
    operationId: 'getPostPicture',
    summary: 'The picture of a post',
    auth: 'optional',
    params: z.object({
      file: z
        .string()
        .regex(/^[0-9a-f-]{36}\.webp$/)
        .meta({ description: 'The name of the file, from `image` of a post.' }),
    }),
    success: {
      status: 200,
      description: 'The picture. Its name is never reused for another picture.',
      contentType: 'image/webp',
    },
    handler: async ({ params }, { files }) => {
      const file = await files.read(params.file);
      if (!file) throw notFound('picture', params.file);
      return new Reply(200, file.stream, {
        'Content-Type': 'image/webp',
        'Content-Length': String(file.length),
        'Cache-Control': 'public, max-age=31536000, immutable',
      });
    },
  }),
];
