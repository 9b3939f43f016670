import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { forbidden, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayDeleteComment } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { lockedPost } from './locked-post.ts';
import { Comment, type Post } from './post.entity.ts';
import type { Posts } from './posts.ts';
import { CommentInput, CommentShape } from './posts.shapes.ts';

const cursors = cursorsOf('postComments', z.tuple([uuid()]));
const COMMENT = columnsOf(CommentShape);

/** The comments on posts. Users who see a post see its comments. */
export class Comments {
  private readonly unit: UnitOfWork;
  private readonly posts: Posts;
  private readonly byId = loaderOf(
    (ids) =>
      this.unit.read<CommentShape>(`select ${COMMENT} from post_comment where id = any(?::uuid[])`, [ids]),
    (comment) => comment.id,
  );
  private readonly firstComments = firstItemsLoaderOf(
    (postIds, count) =>
      this.unit.read<CommentShape>(
        `select first.* from unnest(?::uuid[]) as post (id) cross join lateral (
           select ${COMMENT} from post_comment where post_id = post.id order by id limit ?
         ) as first order by first.id`,
        [postIds, count],
      ),
    (comment) => comment.postId,
  );

  constructor(unit: UnitOfWork, posts: Posts) {
    this.unit = unit;
    this.posts = posts;
  }

  /** The comments on a post, oldest first. First pages are batched. */
  async list(postId: string, request: PageRequest): Promise<Page<CommentShape>> {
    await this.posts.requireVisible(postId);
    const [after] = cursors.read(request.cursor) ?? [];
    const count = pageSize(request) + 1;
    const comments = after
      ? await this.unit.read<CommentShape>(
          `select ${COMMENT} from post_comment where post_id = ? and id > ? order by id limit ?`,
          [postId, after, count],
        )
      : await this.firstComments(postId, count);
    return cursors.page(comments, request, (comment) => [comment.id]);
  }

  /** A comment on a post that the viewer sees; null if there is none, also if it was deleted. Batched. */
  async find(postId: string, id: string): Promise<CommentShape | null> {
    await this.posts.requireVisible(postId);
    const comment = await this.byId.load(id);
    return comment?.postId === postId ? comment : null;
  }

  /** Adds a comment to a post. @throws NOT_FOUND, also for another gym's post; CONFLICT if the gym is not active */
  async create(postId: string, input: unknown): Promise<CommentShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { text } = validated(CommentInput, input);
    const commented = await this.unit.transaction(async () => {
      await lockedPost(this.unit, postId, { adds: true });
      const comment = this.unit.em.create(Comment, { postId, authorId: userId, text });
      await this.unit.em.flush();
      await this.unit.em.execute('update post set comment_count = comment_count + 1 where id = ?', [postId]);
      return presented(CommentShape, comment);
    });
    await this.posts.clearCache(postId);
    return commented;
  }

  /**
   * Deletes a comment with its reports. For its author and for staff of the gym; audited if the author is not the viewer.
   */
  async delete(postId: string, id: string): Promise<void> {
    const viewer = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const post = await lockedPost(this.unit, postId);
      const comment = await commentOn(this.unit, post, id);
      if (!mayDeleteComment(viewer, { gymId: post.gymId, authorId: comment.authorId }))
        throw forbidden("Only its author and the gym's admins may delete a comment.");
      await this.unit.em.nativeDelete(Comment, { id });
      await this.unit.em.execute('update post set comment_count = comment_count - 1 where id = ?', [postId]);
      if (comment.authorId !== viewer.userId)
        await audit(this.unit, {
          gymId: post.gymId,
          actorId: viewer.userId,
          action: 'COMMENT_DELETED',
          details: { postId, commentId: id, userId: comment.authorId },
        });
    });
    await this.posts.clearCache(postId);
    this.byId.clear(id);
  }
}

/** A comment on a post that the transaction has locked. @throws NOT_FOUND */
export async function commentOn(unit: UnitOfWork, post: Post, id: string): Promise<CommentShape> {
  const [comment] = isUuid(id)
    ? await unit.read<CommentShape>(`select ${COMMENT} from post_comment where id = ? and post_id = ?`, [
        id,
        post.id,
      ])
    : [];
  if (!comment) throw notFound('comment', id);
  return comment;
}
