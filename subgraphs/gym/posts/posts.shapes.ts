import { z } from 'zod';

export const PostShape = z
  .object({
    id: z.uuid(),
    gymId: z.uuid(),
    authorId: z
      .uuid()
      .nullable()
      .meta({ description: 'Null once the account is deleted; `text` is empty then.' }),
    text: z.string(),
    image: z.string().nullable().meta({ description: 'Path of the picture at this service, or null.' }),
    likeCount: z.int(),
    commentCount: z.int(),
    likedByMe: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Post' });
export type PostShape = z.infer<typeof PostShape>;

export const CommentShape = z
  .object({
    id: z.uuid(),
    postId: z.uuid(),
    authorId: z.uuid(),
    text: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Comment' });
export type CommentShape = z.infer<typeof CommentShape>;

export const ReportShape = z
  .object({ postId: z.uuid(), reporterId: z.uuid(), reason: z.string(), createdAt: z.iso.datetime() })
  .meta({ id: 'PostReport' });
export type ReportShape = z.infer<typeof ReportShape>;

export const CreatePostInput = z.object({
  gymId: z.uuid().nullish().meta({ description: 'For a SUPER_ADMIN: in which gym.' }),
  text: z.string('expected the text of the post').trim().min(1, 'expected some text').max(5_000),
});
export const CommentInput = z.object({
  text: z.string('expected the text of the comment').trim().min(1, 'expected some text').max(2_000),
});
export const ReportInput = z.object({
  reason: z.string('expected a reason').trim().min(1, 'expected a reason').max(500),
});
