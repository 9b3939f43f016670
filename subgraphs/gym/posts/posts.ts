import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireGym, requireUser, type UserViewer } from '#server/auth/viewer.ts';
import { columnsOf, presented } from '#server/database/columns.ts';
import { forbidden } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { reencoded } from '#server/files/images.ts';
import { failureOf } from '#server/database/refusals.ts';
import { discard } from '#server/files/unused-files.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { firstItemsLoaderOf, loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayDeletePost, requireSight } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { lockedPost } from './locked-post.ts';
import { Like, Post } from './post.entity.ts';
import { CreatePostInput, PostShape } from './posts.shapes.ts';

const cursors = cursorsOf('posts', z.tuple([uuid()]));
const IMAGE_SIDE = 1_600; // pixels

/** The columns of a post. `image` is the picture's file name. */
const PostRow = PostShape.omit({ likedByMe: true });
type PostRow = z.infer<typeof PostRow>;
const POST = columnsOf(PostRow);

/** The posts of a gym's users, with likes. Ids sort by creation time, so lists are sorted by id. */
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
  async list(chosenGymId: string | null | undefined, request: PageRequest): Promise<Page<PostShape>> {
    const [before] = cursors.read(request.cursor) ?? [];
    const gymId = requireGym(this.unit.viewer, chosenGymId);
    const count = pageSize(request) + 1;
    const posts = before
      ? await this.unit.read<PostRow>(
          `select ${POST} from post where gym_id = ? and id < ? order by id desc limit ?`,
          [gymId, before, count],
        )
      : await this.latestPosts(gymId, count);
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
    const fileName = image && (await this.storePicture(image));
    try {
      return await this.unit.transaction(async () => {
        await requireOpenGym(this.unit, gymId);
        const post = this.unit.em.create(Post, {
          gymId,
          authorId: this.viewer.userId,
          text,
          image: fileName ?? null,
          likeCount: 0,
          commentCount: 0,
          version: 1,
        });
        await this.unit.em.flush();
        return present(this.unit, presented(PostRow, post), false);
      });
    } catch (error) {
      // If the answer to COMMIT was lost, the post may be stored. `unusedFiles` removes the picture later if it is not.
      if (fileName && failureOf(error) !== 'lost') await discard(this.files, [fileName], this.unit.log);
      throw error;
    }
  }

  /**
   * Deletes a post with its likes, comments and reports. For its author and for staff of the gym; audited if the author is
   * not the viewer.
   */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const { image, gymId, authorId } = await lockedPost(this.unit, id, {
        expectedVersion,
        decide: (post) => {
          if (!mayDeletePost(this.viewer, post))
            throw forbidden("Only its author and the gym's admins may delete a post.");
        },
      });
      await this.unit.em.nativeDelete(Post, { id });
      if (authorId !== this.viewer.userId)
        await audit(this.unit, {
          gymId,
          actorId: this.viewer.userId,
          action: 'POST_DELETED',
          details: { postId: id, userId: authorId },
        });
      if (image) await this.unit.afterCommit(() => discard(this.files, [image], this.unit.log));
    });
    this.byId.clear(id);
  }

  /**
   * Adds the viewer's like. A second like by the same user changes nothing.
   * @throws NOT_FOUND; CONFLICT if the gym is not active
   */
  async like(id: string): Promise<PostShape> {
    return this.changeLike(
      id,
      true,
      'insert into post_like (post_id, user_id, created_at) values (?, ?, now()) on conflict do nothing returning 1',
      'like_count = like_count + 1',
    );
  }

  async unlike(id: string): Promise<PostShape> {
    return this.changeLike(
      id,
      false,
      'delete from post_like where post_id = ? and user_id = ? returning 1',
      'like_count = like_count - 1',
    );
  }

  /** The users who liked the post, latest first, at most `first`; batched. */
  async likers(id: string, first: number): Promise<string[]> {
    await this.load(id);
    return (await this.latestLikes(id, pageSize({ limit: first }))).map(({ userId }) => userId);
  }

  /** @throws NOT_FOUND if there is no such post, or if the viewer may not see it; batched */
  async requireVisible(id: string): Promise<void> {
    await this.load(id);
  }

  /** Clears the cache after a write, for later reads in the same unit of work. */
  async clearCache(id: string): Promise<void> {
    this.byId.clear(id);
  }

  private get viewer(): UserViewer {
    return requireUser(this.unit.viewer);
  }

  private async load(id: string): Promise<PostRow> {
    requireUser(this.unit.viewer);
    return requireSight(this.unit.viewer, 'post', id, isUuid(id) ? await this.byId.load(id) : null);
  }

  /**
   * Runs the statement `change`, which adds or removes the viewer's like; if it changed a row, also applies `counter` to the
   * post.
   */
  private async changeLike(id: string, adds: boolean, change: string, counter: string): Promise<PostShape> {
    const changedPost = await this.unit.transaction(async () => {
      const { em } = this.unit;
      await lockedPost(this.unit, id, { adds });
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
