import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import {
  requireGym,
  requireGymAdmin,
  requireUser,
  runsGym,
  seesGym,
  type UserViewer,
} from '#server/auth/viewer.ts';
import { checkVersion, forbidden, notFound } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { Comment, Like, Post, Report } from './post.entity.ts';
import {
  CommentInput,
  CreatePostInput,
  ReportInput,
  type CommentShape,
  type PostShape,
  type ReportShape,
} from './posts.shapes.ts';

const cursors = cursorsOf('posts', z.tuple([z.uuid()]));
const commentCursors = cursorsOf('postComments', z.tuple([z.uuid()]));
const reportCursors = cursorsOf('postReports', z.tuple([z.iso.datetime(), z.uuid(), z.uuid()]));
const IMAGE_SIDE = 1_600; // pixels

/** The shown columns of a post, from an entity or a row. */
type PostRow = Pick<Post, 'id' | 'gymId' | 'text' | 'likeCount' | 'commentCount' | 'version'> & {
  authorId?: string | null;
  image?: string | null;
  createdAt: Date | string;
};

const POST = `id, gym_id as "gymId", author_id as "authorId", text, image, like_count as "likeCount",
  comment_count as "commentCount", version, created_at as "createdAt"`;

/** A report from the input, or from a row. */
type ReportRow = Omit<ReportShape, 'createdAt'> & { createdAt: Date | string };

/** A comment from an entity or a row. */
type CommentRow = Omit<CommentShape, 'createdAt'> & { createdAt: Date | string };

/** The feed of a gym: its users write, like and comment. Ids sort by creation time, so lists are sorted by id. */
export class Posts {
  private readonly unit: UnitOfWork;
  private readonly files: FileStorage;
  private readonly byId = loaderOf(
    (ids) => this.unit.em.find(Post, { id: { $in: [...ids] } }),
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
      this.unit.read<CommentRow>(
        `select first.* from unnest(?::uuid[]) as post (id) cross join lateral (
           select id, post_id as "postId", author_id as "authorId", text, created_at as "createdAt"
           from post_comment where post_id = post.id order by id limit ?
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

  /** Newest first. First pages are batched. */
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

  /** With or without a picture. @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE for an unusable picture */
  async create(input: unknown, image?: Buffer): Promise<PostShape> {
    const { gymId: chosen, text } = validated(CreatePostInput, input);
    const gymId = requireGym(this.unit.viewer, chosen);
    const name = image && (await this.keep(image));
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
        return present(this.unit, post, false);
      });
    } catch (error) {
      if (name) await this.files.delete(name);
      throw error;
    }
  }

  /** By its author, or by those who manage the gym; its likes, comments and reports are deleted, too. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const post = await this.locked(id);
      if (post.authorId !== this.viewer.userId && !runsGym(this.unit.viewer, post.gymId))
        throw forbidden("Only its author and the gym's admins may delete a post.");
      checkVersion('post', expectedVersion, post.version);
      await this.unit.em.nativeDelete(Post, { id });
      const { image } = post;
      if (image) await this.unit.afterCommit(() => this.files.delete(image));
    });
    this.byId.clear(id);
  }

  /** Liking a second time changes nothing. */
  async like(id: string): Promise<PostShape> {
    return this.count(
      id,
      'insert into post_like (post_id, user_id, created_at) values (?, ?, now()) on conflict do nothing returning 1',
      'like_count = like_count + 1',
    );
  }

  async unlike(id: string): Promise<PostShape> {
    return this.count(
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
      return presentComment(comment);
    });
    this.byId.clear(id);
    return commented;
  }

  /** Oldest first. */
  async comments(id: string, request: PageRequest): Promise<Page<CommentShape>> {
    await this.load(id);
    const [after] = commentCursors.read(request.cursor) ?? [];
    const count = pageSize(request) + 1;
    const comments: CommentRow[] = after
      ? await this.unit.em.find(
          Comment,
          { postId: id, id: { $gt: after } },
          { orderBy: { id: 'asc' }, limit: count },
        )
      : await this.firstComments(id, count);
    return mapPage(
      commentCursors.page(comments, request, (comment) => [comment.id]),
      presentComment,
    );
  }

  /** The users who liked it, latest first, at most `first`; batched. */
  async likers(id: string, first: number): Promise<string[]> {
    await this.load(id);
    return (await this.latestLikes(id, pageSize({ limit: first }))).map(({ userId }) => userId);
  }

  /** A report to those who manage the gym; a second report of a member replaces their first. */
  async report(id: string, input: unknown): Promise<ReportShape> {
    const { reason } = validated(ReportInput, input);
    return this.unit.transaction(async () => {
      const { gymId } = await this.locked(id);
      const report = { postId: id, reporterId: this.viewer.userId, gymId, reason, createdAt: new Date() };
      await this.unit.em.upsert(Report, report);
      return presentReport(report);
    });
  }

  /** Reported posts of a gym, latest report first; for those who manage it. */
  async reports(gymId: string | null | undefined, request: PageRequest): Promise<Page<ReportShape>> {
    const own = requireGymAdmin(this.unit.viewer, gymId);
    const after = reportCursors.read(request.cursor);
    const reports = await this.unit.read<ReportRow>(
      `select post_id as "postId", reporter_id as "reporterId", reason, created_at as "createdAt" from post_report
       where gym_id = ?${after ? ' and (created_at, post_id, reporter_id) < (?, ?, ?)' : ''}
       order by created_at desc, post_id desc, reporter_id desc limit ?`,
      [own, ...(after ?? []), pageSize(request) + 1],
    );
    return mapPage(
      reportCursors.page(reports, request, (report) => [
        new Date(report.createdAt).toISOString(),
        report.postId,
        report.reporterId,
      ]),
      presentReport,
    );
  }

  private get viewer(): UserViewer {
    return requireUser(this.unit.viewer);
  }

  private async load(id: string): Promise<Post> {
    requireUser(this.unit.viewer);
    const post = isUuid(id) ? await this.byId.load(id) : null;
    if (!post || !seesGym(this.unit.viewer, post.gymId)) throw notFound('post', id);
    return post;
  }

  /**
   * As `load`, for a write: until the transaction ends, no other transaction writes to the post or deletes it. All rows that
   * belong to a post are written under this lock, so that all transactions take their locks in the same order.
   */
  private async locked(id: string): Promise<Post> {
    requireUser(this.unit.viewer);
    const post = isUuid(id)
      ? await this.unit.em.findOne(Post, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
      : null;
    if (!post || !seesGym(this.unit.viewer, post.gymId)) throw notFound('post', id);
    return post;
  }

  /** Runs `change`, and `counter` if it changed a row. */
  private async count(id: string, change: string, counter: string): Promise<PostShape> {
    const counted = await this.unit.transaction(async () => {
      const { em } = this.unit;
      await this.locked(id);
      const changed = await em.execute<unknown[]>(change, [id, this.viewer.userId]);
      if (changed.length > 0) await em.execute(`update post set ${counter} where id = ?`, [id]);
      const post = await em.findOneOrFail(Post, { id }, { refresh: true });
      return present(this.unit, post, (await this.liked.clear(id).load(id)) !== null);
    });
    this.byId.clear(id);
    return counted;
  }

  private async keep(image: Buffer): Promise<string> {
    const picture = await reencoded(image, { field: 'image', maxSide: IMAGE_SIDE });
    const name = `${uuidv7()}.${picture.extension}`;
    await this.files.put(name, picture.bytes, picture.contentType);
    return name;
  }
}

const present = (unit: UnitOfWork, post: PostRow, likedByMe: boolean): PostShape => ({
  id: post.id,
  gymId: post.gymId,
  authorId: post.authorId ?? null,
  text: post.text,
  image: post.image ? unit.publicPath(`/media/${post.image}`) : null,
  likeCount: post.likeCount,
  commentCount: post.commentCount,
  likedByMe,
  version: post.version,
  createdAt: new Date(post.createdAt).toISOString(),
});

const presentComment = ({ id, postId, authorId, text, createdAt }: CommentRow): CommentShape => ({
  id,
  postId,
  authorId,
  text,
  createdAt: new Date(createdAt).toISOString(),
});
const presentReport = ({ postId, reporterId, reason, createdAt }: ReportRow): ReportShape => ({
  postId,
  reporterId,
  reason,
  createdAt: new Date(createdAt).toISOString(),
});
