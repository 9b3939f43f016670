import { z } from 'zod';
import { requireGym } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { gyms, type Activity, type GymRecord } from '../gyms/gym.journal.ts';
import type { Hub } from '../hub.ts';
import { isOlder } from '../lists.ts';
import { maySee, maySeeClub, readSight, type Sight } from '../presence/visibility.ts';
import type { Platform } from '../upstream/platform.ts';
import type { FeedItemShape } from './feed.shapes.ts';

/** The maximum number of pages of posts that one page of the feed requests, if many posts are hidden. */
const MAX_UPSTREAM_PAGES = 20;

type Position = readonly [string, string];
/** The time and the id of a page's last item, and the gym service's cursor of the page of posts at which the next page begins. */
const cursors = cursorsOf('feed', z.tuple([z.string(), z.string(), z.string().nullable()]));

const post = z.looseObject({
  id: z.string(),
  createdAt: z.string(),
  text: z.string().default(''),
  userId: z.string().nullish(),
  authorId: z.string().nullish(),
  image: z.unknown(),
});
const announcement = z.looseObject({
  id: z.string(),
  createdAt: z.string().nullish(),
  startsAt: z.string().nullish(),
  title: z.string().default(''),
  text: z.string().default(''),
  userId: z.string().nullish(),
  authorId: z.string().nullish(),
});

/** The feed of a gym: posts, announcements, and activities of squads and clubs; newest first. */
export class Feed {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly platform: Platform;

  constructor(unit: UnitOfWork, hub: Hub, platform: Platform) {
    this.unit = unit;
    this.hub = hub;
    this.platform = platform;
  }

  /**
   * The feed of the viewer's gym, or of any gym for a SUPER_ADMIN. If the gym service does not answer, the page contains
   * only the activities of this service, and `missing` names the gym service.
   */
  async list(gymId: string | null | undefined, request: PageRequest): Promise<Page<FeedItemShape>> {
    const gym = requireGym(this.unit.viewer, gymId);
    const after = cursors.read(request.cursor);
    const position: Position | undefined = after && [after[0], after[1]];
    const sight = await readSight(this.hub.journals, this.unit.viewer);
    const isNext = (item: FeedItemShape) => !position || isOlder(keysOf(item), position);
    const wanted = (item: FeedItemShape) =>
      !(item.userId && !maySee(sight, item.userId)) &&
      item.participantIds.every((id) => maySee(sight, id)) &&
      isNext(item);
    // An announcement is the gym's, so it is shown without its author if the viewer may not see them.
    const unsigned = (item: FeedItemShape) =>
      item.userId && !maySee(sight, item.userId) ? { ...item, userId: null } : item;
    const missing = new Set<string>();

    const [activities, announcements, posts] = await Promise.all([
      this.hub.journals
        .of(gyms)
        .read(gym)
        .then((record) => activitiesIn(record, sight).map(ofActivity).filter(wanted)),
      this.announcements(gym, missing).then((items) => items.filter(isNext).map(unsigned)),
      this.posts(gym, after?.[2] ?? undefined, pageSize(request) + 1, wanted, missing),
    ]);
    const pageOfPost = new Map(posts.map(({ item, page }) => [item.id, page]));
    const newestFirst = [...activities, ...announcements, ...posts.map(({ item }) => item)]
      .toSorted((one, other) => (isOlder(keysOf(one), keysOf(other)) ? 1 : -1))
      .slice(0, pageSize(request) + 1);
    // The cursor of each item names the page of posts that contains the last post up to this item.
    const pageAt = new Map<string, string | null>();
    let page = after?.[2] ?? null;
    for (const item of newestFirst) {
      if (pageOfPost.has(item.id)) page = pageOfPost.get(item.id) ?? null;
      pageAt.set(item.id, page);
    }
    const shown = cursors.page(newestFirst, request, (item) => [
      ...keysOf(item),
      pageAt.get(item.id) ?? null,
    ]);
    return { ...shown, missing: [...missing] };
  }

  private async announcements(gymId: string, missing: Set<string>): Promise<FeedItemShape[]> {
    const { items } = await this.orNothing(missing, () => this.platform.gymList('/announcements', gymId));
    return items.flatMap((given) => ofAnnouncement(announcement.safeParse(given).data));
  }

  /** The posts for a page of the feed, each with the cursor of the upstream page that contains it. */
  private async posts(
    gymId: string,
    from: string | undefined,
    enough: number,
    wanted: (item: FeedItemShape) => boolean,
    missing: Set<string>,
  ): Promise<{ item: FeedItemShape; page: string | null }[]> {
    const found: { item: FeedItemShape; page: string | null }[] = [];
    let cursor = from;
    for (let pages = 0; pages < MAX_UPSTREAM_PAGES && found.length < enough; pages += 1) {
      const { items, nextCursor } = await this.orNothing(missing, () =>
        this.platform.gymList('/posts', gymId, cursor),
      );
      for (const given of items)
        for (const item of ofPost(post.safeParse(given).data))
          if (wanted(item))
            found.push({
              item: { ...item, image: this.unit.publicPath(item.image, 'gym') },
              page: cursor ?? null,
            });
      if (nextCursor === undefined) return found;
      cursor = nextCursor;
    }
    if (found.length < enough) missing.add('gym'); // after so many hidden posts, further ones are not read
    return found;
  }

  /** The page that `ask` returns. If the gym service does not answer, an empty page, and `missing` then names the service. */
  private async orNothing(
    missing: Set<string>,
    ask: () => ReturnType<Platform['gymList']>,
  ): Promise<Awaited<ReturnType<Platform['gymList']>>> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PlatformError && error.code === 'UPSTREAM_UNAVAILABLE')) throw error;
      this.unit.log.warn({ err: error }, 'a part of the feed is missing');
      missing.add('gym');
      return { items: [], nextCursor: undefined };
    }
  }
}

const NOTHING = { title: null, image: null, participantIds: [], groupId: null };
const keysOf = (item: FeedItemShape): [string, string] => [item.at, item.id];
const timeOf = (text: string): string =>
  (Number.isNaN(Date.parse(text)) ? new Date(0) : new Date(text)).toISOString();

/** The activities of the gym, without those of clubs that the viewer may not see. */
const activitiesIn = ({ activities, groups }: GymRecord, sight: Sight): readonly Activity[] =>
  activities.filter(({ groupId }) => {
    const group = groupId ? groups[groupId] : undefined;
    return !groupId || (group !== undefined && maySeeClub(sight, group));
  });

const ofActivity = ({ id, kind, at, userIds, text, groupId }: Activity): FeedItemShape => ({
  ...NOTHING,
  id,
  kind,
  at,
  userId: userIds[0] ?? null,
  text,
  participantIds: kind === 'SQUAD_FINISHED' ? [...userIds] : [],
  groupId,
});

const ofPost = (given: z.infer<typeof post> | undefined): FeedItemShape[] =>
  given
    ? [
        {
          ...NOTHING,
          id: given.id,
          kind: 'POST',
          at: timeOf(given.createdAt),
          userId: given.userId ?? given.authorId ?? null,
          text: given.text,
          image: typeof given.image === 'string' ? given.image : null,
        },
      ]
    : [];

function ofAnnouncement(given: z.infer<typeof announcement> | undefined): FeedItemShape[] {
  // An announcement may be written before it begins, or be said to have begun before it was written.
  const times = [given?.createdAt, given?.startsAt].flatMap((time) => (time ? [timeOf(time)] : []));
  const at = times.toSorted().at(-1);
  return given && at
    ? [
        {
          ...NOTHING,
          id: given.id,
          kind: 'ANNOUNCEMENT',
          at,
          userId: given.userId ?? given.authorId ?? null,
          title: given.title,
          text: given.text,
        },
      ]
    : [];
}
