import { z } from 'zod';
import { requireGym, requireGymAdmin, requireUser, type UserViewer } from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { forbidden } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { discard } from '#server/files/unused-files.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayDeletePost, requireSight } from '../access.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Comment, Like, Post, Report } from './post.entity.ts';
import {
  CommentInput,
  CommentShape,
  CreatePostInput,
  PostShape,
  ReportInput,
  ReportShape,
} from './posts.shapes.ts';

const cursors = cursorsOf('posts', z.tuple([z.uuid()]));
const commentCursors = cursorsOf('postComments', z.tuple([z.uuid()]));
const reportCursors = cursorsOf('postReports', z.tuple([z.iso.datetime(), z.uuid(), z.uuid()]));
const IMAGE_SIDE = 1_600; // pixels

/** The columns of a post. `image` is the picture's file name. */
const PostRow = PostShape.omit({ likedByMe: true });
type PostRow = z.infer<typeof PostRow>;
const POST = columnsOf(PostRow);
const COMMENT = columnsOf(CommentShape);

/** The posts of a gym's users, with likes, comments and reports. Ids sort by creation time, so lists are sorted by id. */
export class Posts {
  private readonly unit: UnitOfWork;
  private readonly files: FileStorage;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<PostRow>(`select ${POST} from post where id = any(?::uuid[])`, [ids]),
    (post) => post.id,
  );
  private readonly liked = loaderOf(
    (postIds) => this.unit.em.find(Like, { postId: { $in: [...postIds] }, userId: this.viewer.userId }),
    (like) => like.postId,
  );
  private readonly latestPosts = firstItemsLoaderOf(
    (gymIds, count) =>
      this.unit.read<PostRow>(
        `select latest.* from unnest(?::uuid[]) as gym (id) cross join lateral (
           select ${POST} from post where gym_id = gym.id order by id desc limit ?
         ) as latest order by latest.id desc`,
        [gymIds, count],
      ),
    (post) => post.gymId,
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
  private readonly latestLikes = firstItemsLoaderOf(
    (postIds, count) =>
      this.unit.read<{ postId: string; userId: string }>(
        `select latest."postId", latest."userId" from unnest(?::uuid[]) as post (id) cross join lateral (
           select post_id as "postId", user_id as "userId", created_at
           from post_like where post_id = post.id order by created_at desc limit ?
         ) as latest order by latest.created_at desc`,
        [postIds, count],
      ),
    (like) => like.postId,
  );

  constructor(unit: UnitOfWork, files: FileStorage) {
    this.unit = unit;
    this.files = files;
  }

  /** The posts of a gym, newest first. First pages are batched. */
  async list(gymId: string | null | undefined, request: PageRequest): Promise<Page<PostShape>> {
    const [before] = cursors.read(request.cursor) ?? [];
    const ownGymId = requireGym(this.unit.viewer, gymId);
    const count = pageSize(request) + 1;
    const posts = before
      ? await this.unit.read<PostRow>(
          `select ${POST} from post where gym_id = ? and id < ? order by id desc limit ?`,
          [ownGymId, before, count],
        )
      : await this.latestPosts(ownGymId, count);
    const page = cursors.page(posts, request, (post) => [post.id]);
    const liked = await Promise.all(page.items.map((post) => this.liked.load(post.id)));
    const likedIds = new Set(liked.flatMap((like) => like?.postId ?? []));
    return mapPage(page, (post) => present(this.unit, post, likedIds.has(post.id)));
  }

  /** @throws NOT_FOUND, also for another gym's post */
  async get(id: string): Promise<PostShape> {
    const post = await this.load(id);
    return present(this.unit, post, (await this.liked.load(id)) !== null);
  }

  /** Writes a post, with or without a picture. @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE for an unusable picture */
  async create(input: unknown, image?: Buffer): Promise<PostShape> {
    const { gymId: chosen, text } = validated(CreatePostInput, input);
    const gymId = requireGym(this.unit.viewer, chosen);
    const name = image && (await this.storePicture(image));
    try {
      return await this.unit.transaction(async () => {
        await requireOpenGym(this.unit, gymId);
        const post = this.unit.em.create(Post, {
          gymId,
          authorId: this.viewer.userId,
          text,
          image: name ?? null,
          likeCount: 0,
          commentCount: 0,
          version: 1,
        });
        await this.unit.em.flush();
        return present(this.unit, presented(PostRow, post), false);
      });
    } catch (error) {
      if (name) await discard(this.files, [name], this.unit.log);
      throw error;
    }
  }

  /** Deletes a post with its likes, comments and reports. For its author, and for those who manage the gym. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const { image } = await this.locked(id, expectedVersion, (post) => {
        if (!mayDeletePost(this.viewer, post))
          throw forbidden("Only its author and the gym's admins may delete a post.");
      });
      await this.unit.em.nativeDelete(Post, { id });
      if (image) await this.unit.afterCommit(() => discard(this.files, [image], this.unit.log));
    });
    this.byId.clear(id);
  }

  /** Liking a second time changes nothing. */
  async like(id: string): Promise<PostShape> {
    return this.changeLike(
      id,
      'insert into post_like (post_id, user_id, created_at) values (?, ?, now()) on conflict do nothing returning 1',
      'like_count = like_count + 1',
    );
  }

  async unlike(id: string): Promise<PostShape> {
    return this.changeLike(
      id,
      'delete from post_like where post_id = ? and user_id = ? returning 1',
      'like_count = like_count - 1',
    );
  }

  async comment(id: string, input: unknown): Promise<CommentShape> {
    const { text } = validated(CommentInput, input);
    const commented = await this.unit.transaction(async () => {
      await this.locked(id);
      const comment = this.unit.em.create(Comment, { postId: id, authorId: this.viewer.userId, text });
      await this.unit.em.flush();
      await this.unit.em.execute('update post set comment_count = comment_count + 1 where id = ?', [id]);
      return presented(CommentShape, comment);
    });
    this.byId.clear(id);
    return commented;
  }

  /** The comments on a post, oldest first. First pages are batched. */
  async comments(id: string, request: PageRequest): Promise<Page<CommentShape>> {
    await this.load(id);
    const [after] = commentCursors.read(request.cursor) ?? [];
    const count = pageSize(request) + 1;
    const comments = after
      ? await this.unit.read<CommentShape>(
          `select ${COMMENT} from post_comment where post_id = ? and id > ? order by id limit ?`,
          [id, after, count],
        )
      : await this.firstComments(id, count);
    return commentCursors.page(comments, request, (comment) => [comment.id]);
  }

  /** The users who liked the post, latest first, at most `first`; batched. */
  async likers(id: string, first: number): Promise<string[]> {
    await this.load(id);
    return (await this.latestLikes(id, pageSize({ limit: first }))).map(({ userId }) => userId);
  }

  /** Reports a post to the staff of the gym; a second report by the same user replaces their first one. */
  async report(id: string, input: unknown): Promise<ReportShape> {
    const { reason } = validated(ReportInput, input);
    return this.unit.transaction(async () => {
      const { gymId } = await this.locked(id);
      const report = { postId: id, reporterId: this.viewer.userId, gymId, reason, createdAt: new Date() };
      await this.unit.em.upsert(Report, report);
      return presented(ReportShape, report);
    });
  }

  /** The reports of a gym's posts, latest first; for staff of the gym. */
  async reports(gymId: string | null | undefined, request: PageRequest): Promise<Page<ReportShape>> {
    const own = requireGymAdmin(this.unit.viewer, gymId);
    const after = reportCursors.read(request.cursor);
    const reports = await this.unit.read<ReportShape>(
      `select ${columnsOf(ReportShape)} from post_report
       where gym_id = ?${after ? ' and (created_at, post_id, reporter_id) < (?, ?, ?)' : ''}
       order by created_at desc, post_id desc, reporter_id desc limit ?`,
      [own, ...(after ?? []), pageSize(request) + 1],
    );
    return reportCursors.page(reports, request, ({ createdAt, postId, reporterId }) => [
      createdAt,
      postId,
      reporterId,
    ]);
  }

  private get viewer(): UserViewer {
    return requireUser(this.unit.viewer);
  }

  private async load(id: string): Promise<PostRow> {
    requireUser(this.unit.viewer);
    return requireSight(this.unit.viewer, 'post', id, isUuid(id) ? await this.byId.load(id) : null);
  }

  /**
   * The same as `load`, for a write: until the transaction ends, no other transaction changes or deletes the post. All rows that
   * belong to a post are written under this lock, so that all transactions take their locks in the same order.
   */
  private async locked(
    id: string,
    expectedVersion?: number,
    decide: (post: Post) => void = () => undefined,
  ): Promise<Post> {
    const { viewer } = this;
    return lockedForChange(this.unit, Post, {
      what: 'post',
      id,
      expectedVersion,
      decide: (post) => decide(requireSight(viewer, 'post', id, post)),
    });
  }

  /** Runs the statement `change`, which adds or removes the viewer's like; if it changed a row, also applies `counter` to the post. */
  private async changeLike(id: string, change: string, counter: string): Promise<PostShape> {
    const changedPost = await this.unit.transaction(async () => {
      const { em } = this.unit;
      await this.locked(id);
      const changed = await em.execute<unknown[]>(change, [id, this.viewer.userId]);
      if (changed.length > 0) await em.execute(`update post set ${counter} where id = ?`, [id]);
      const post = await em.findOneOrFail(Post, { id }, { refresh: true });
      return present(this.unit, presented(PostRow, post), (await this.liked.clear(id).load(id)) !== null);
    });
    this.byId.clear(id);
    return changedPost;
  }

  /** Returns the picture's file name. */
  private async storePicture(image: Buffer): Promise<string> {
    const picture = await reencoded(image, { field: 'image', maxSide: IMAGE_SIDE });
    const name = `${uuidv7()}.${picture.extension}`;
    await this.files.put(name, picture.bytes, picture.contentType);
    return name;
  }
}

const present = (unit: UnitOfWork, post: PostRow, likedByMe: boolean): PostShape => ({
  ...post,
  image: post.image && unit.publicPath(`/media/${post.image}`),
  likedByMe,
});
