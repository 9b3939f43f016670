import { z } from 'zod';
import { uuid, visibleText } from '#server/shapes.ts';

export const PostShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    authorId: uuid()
      .nullable()
      .meta({ description: 'Null once the account is deleted; `text` is empty then.' }),
    text: z.string(),
    image: z.string().nullable(),
    likeCount: z.int(),
    commentCount: z.int(),
    likedByMe: z.boolean(),
    version: z.int(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Post' });
export type PostShape = z.infer<typeof PostShape>;

export const CommentShape = z
  .object({
    id: uuid(),
    postId: uuid(),
    authorId: uuid().meta({ description: 'The user who wrote the comment.' }),
    text: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Comment' });
export type CommentShape = z.infer<typeof CommentShape>;

export const ReportShape = z
  .object({
    postId: uuid(),
    commentId: uuid().nullable(),
    reporterId: uuid().meta({ description: 'The user who reported the post or the comment.' }),
    reason: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'PostReport' });
export type ReportShape = z.infer<typeof ReportShape>;

export const CreatePostInput = z.object({
  gymId: uuid()
    .nullish()
    .meta({ description: 'A SUPER_ADMIN may name any gym; every other user may name only their own gym.' }),
  text: visibleText(5_000).meta({ description: 'The text that users see: at most 5,000 characters.' }),
});
export const CommentInput = z
  .object({
    text: visibleText(2_000),
  })
  .meta({ graphType: 'CommentPostInput' });
export const ReportInput = z
  .object({
    reason: visibleText(500),
  })
  .meta({ graphType: 'ReportPostInput' });
