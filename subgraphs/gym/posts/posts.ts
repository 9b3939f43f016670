import type DataLoader from 'dataloader';
import { z } from 'zod';
import {
  requireGym,
  requireGymAdmin,
  requireUser,
  runsGym,
  seesGym,
  type UserViewer,
} from '#server/auth/viewer.ts';
import { forbidden, notFound } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { uuidv7 } from '#server/ids.ts';
import { listLoaderOf, loaderOf } from '#server/loaders.ts';
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
const reportCursors = cursorsOf('postReports', z.tuple([z.iso.datetime(), z.uuid()]));
const IMAGE_SIDE = 1_600; // pixels

/** The feed of a gym: its people write, like and comment. Ids sort by the time of their making, so lists go by id. */
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
  /** The first so many comments of many posts, one statement for each number that is asked for. */
  private readonly firstComments = new Map<number, DataLoader<string, Comment[]>>();
  private readonly firstLikes = new Map<number, DataLoader<string, { postId: string; userId: string }[]>>();

  constructor(unit: UnitOfWork, files: FileStorage) {
    this.unit = unit;
    this.files = files;
  }

  /** Newest first. */
  async list(gymId: string | null | undefined, request: PageRequest): Promise<Page<PostShape>> {
    const [before] = cursors.read(request.cursor) ?? [];
    const posts = await this.unit.em.find(
      Post,
      { gymId: requireGym(this.unit.viewer, gymId), ...(before && { id: { $lt: before } }) },
      { orderBy: { id: 'desc' }, limit: pageSize(request) + 1 },
    );
    const page = cursors.page(posts, request, (post) => [post.id]);
    const liked = await Promise.all(page.items.map((post) => this.liked.load(post.id)));
    const likedIds = new Set(liked.flatMap((like) => like?.postId ?? []));
    return mapPage(page, (post) => present(this.unit, post, likedIds.has(post.id)));
  }

  /** @throws NOT_FOUND also for another gym's. */
  async get(id: string): Promise<PostShape> {
    const post = await this.load(id);
    return present(this.unit, post, (await this.liked.load(id)) !== null);
  }

  /** With a picture or without. @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE for what is no picture. */
  async create(input: unknown, image?: Buffer): Promise<PostShape> {
    const { gymId, text } = validated(CreatePostInput, input);
    const postGymId = await requireOpenGym(this.unit, requireGym(this.unit.viewer, gymId));
    const name = image && (await this.keep(image));
    const post = this.unit.em.create(Post, {
      gymId: postGymId,
      authorId: this.viewer.userId,
      text,
      image: name ?? null,
      likeCount: 0,
      commentCount: 0,
    });
    try {
      await this.unit.em.flush();
    } catch (error) {
      if (name) await this.files.delete(name);
      throw error;
    }
    return present(this.unit, post, false);
  }

  /** By its author, or by those who run the gym. */
  async delete(id: string): Promise<void> {
    const post = await this.load(id);
    if (post.authorId !== this.viewer.userId && !runsGym(this.unit.viewer, post.gymId))
      throw forbidden('A post is deleted by its author or by the gym.');
    await this.unit.transaction(async () => {
      for (const entity of [Like, Comment, Report])
        // Each of the three has a postId; their union is no entity to MikroORM's types.
        await this.unit.em.nativeDelete<{ postId: string }>(entity as never, { postId: id });
      await this.unit.em.nativeDelete(Post, { id });
    });
    if (post.image) await this.files.delete(post.image);
  }

  /** Liking twice is the same as once. */
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
    await this.load(id);
    return this.unit.transaction(async () => {
      const comment = this.unit.em.create(Comment, { postId: id, authorId: this.viewer.userId, text });
      await this.unit.em.flush();
      await this.unit.em.execute('update post set comment_count = comment_count + 1 where id = ?', [id]);
      return presentComment(comment);
    });
  }

  /** Oldest first. */
  async comments(id: string, request: PageRequest): Promise<Page<CommentShape>> {
    await this.load(id);
    const [after] = commentCursors.read(request.cursor) ?? [];
    const size = pageSize(request) + 1;
    const comments = after
      ? await this.unit.em.find(
          Comment,
          { postId: id, id: { $gt: after } },
          { orderBy: { id: 'asc' }, limit: size },
        )
      : await this.commentsLoader(size).load(id);
    return mapPage(
      commentCursors.page(comments, request, (comment) => [comment.id]),
      presentComment,
    );
  }

  /** Who liked it, latest first, at most `first`; batched. */
  async likers(id: string, first: number): Promise<string[]> {
    await this.load(id);
    return (await this.likesLoader(pageSize({ limit: first })).load(id)).map(({ userId }) => userId);
  }

  /** Tells those who run the gym; a second report of one member replaces her first. */
  async report(id: string, input: unknown): Promise<ReportShape> {
    const { reason } = validated(ReportInput, input);
    const post = await this.load(id);
    const report = {
      postId: id,
      reporterId: this.viewer.userId,
      gymId: post.gymId,
      reason,
      createdAt: new Date(),
    };
    await this.unit.em.upsert(Report, report);
    return presentReport(report);
  }

  /** Reported posts of a gym, latest report first; for those who run it. */
  async reports(gymId: string | null | undefined, request: PageRequest): Promise<Page<ReportShape>> {
    const own = requireGymAdmin(this.unit.viewer, gymId);
    const [createdAt, postId] = reportCursors.read(request.cursor) ?? [];
    const reports = await this.unit.em.find(
      Report,
      {
        gymId: own,
        ...(createdAt && {
          $or: [
            { createdAt: { $lt: new Date(createdAt) } },
            { createdAt: new Date(createdAt), postId: { $lt: postId } },
          ],
        }),
      },
      { orderBy: { createdAt: 'desc', postId: 'desc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      reportCursors.page(reports, request, (report) => [report.createdAt.toISOString(), report.postId]),
      presentReport,
    );
  }

  private get viewer(): UserViewer {
    return requireUser(this.unit.viewer);
  }

  private async load(id: string): Promise<Post> {
    requireUser(this.unit.viewer);
    const post = await this.byId.load(id);
    if (!post || !seesGym(this.unit.viewer, post.gymId)) throw notFound('post', id);
    return post;
  }

  /** Runs `change`, and `counter` where it changed a row: the count is right however many come at once. */
  private async count(id: string, change: string, counter: string): Promise<PostShape> {
    await this.load(id);
    const { userId } = this.viewer;
    return this.unit.transaction(async () => {
      const changed = await this.unit.em.execute<unknown[]>(change, [id, userId]);
      if (changed.length > 0) await this.unit.em.execute(`update post set ${counter} where id = ?`, [id]);
      const post = await this.unit.em.findOneOrFail(Post, { id }, { refresh: true });
      return present(this.unit, post, (await this.liked.clear(id).load(id)) !== null);
    });
  }

  private async keep(image: Buffer): Promise<string> {
    const picture = await reencoded(image, { field: 'image', maxSide: IMAGE_SIDE });
    const name = `${uuidv7()}.${picture.extension}`;
    await this.files.put(name, picture.bytes, picture.contentType);
    return name;
  }

  private commentsLoader(size: number): DataLoader<string, Comment[]> {
    const loader =
      this.firstComments.get(size) ??
      listLoaderOf<Comment>(
        (postIds) =>
          this.unit.em.execute(
            `select c.id, c.post_id as "postId", c.author_id as "authorId", c.text, c.created_at as "createdAt"
             from (select unnest(?::uuid[]) as id) p cross join lateral (select * from post_comment where post_id = p.id order by id limit ?) c order by c.id`,
            [arrayLiteral(postIds), size],
          ),
        (comment) => comment.postId,
      );
    this.firstComments.set(size, loader);
    return loader;
  }

  private likesLoader(size: number): DataLoader<string, { postId: string; userId: string }[]> {
    const loader =
      this.firstLikes.get(size) ??
      listLoaderOf<{ postId: string; userId: string }>(
        (postIds) =>
          this.unit.em.execute(
            `select l.post_id as "postId", l.user_id as "userId"
             from (select unnest(?::uuid[]) as id) p cross join lateral (select * from post_like where post_id = p.id order by created_at desc limit ?) l order by l.created_at desc`,
            [arrayLiteral(postIds), size],
          ),
        (like) => like.postId,
      );
    this.firstLikes.set(size, loader);
    return loader;
  }
}

/** A PostgreSQL array of UUIDs as one parameter; the driver would expand a JavaScript array into many. */
const arrayLiteral = (ids: readonly string[]): string => `{${ids.join(',')}}`;

const present = (unit: UnitOfWork, post: Post, likedByMe: boolean): PostShape => ({
  id: post.id,
  gymId: post.gymId,
  authorId: post.authorId ?? null,
  text: post.text,
  image: post.image ? unit.publicPath(`/media/${post.image}`) : null,
  likeCount: post.likeCount,
  commentCount: post.commentCount,
  likedByMe,
  createdAt: post.createdAt.toISOString(),
});

const presentComment = ({ id, postId, authorId, text, createdAt }: Comment): CommentShape => ({
  id,
  postId,
  authorId,
  text,
  createdAt: new Date(createdAt).toISOString(),
});
const presentReport = ({
  postId,
  reporterId,
  reason,
  createdAt,
}: {
  postId: string;
  reporterId: string;
  reason: string;
  createdAt: Date;
}): ReportShape => ({ postId, reporterId, reason, createdAt: createdAt.toISOString() });
