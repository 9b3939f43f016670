import { requireUser, type Viewer } from '#server/auth/viewer.ts';
import type { Journals } from '../storage/journal.ts';
import { hiddenFrom, users, type UserRecord } from '../users/user.journal.ts';
import { isShown, type OnlineEntry } from './online-entry.ts';
import type { OnlineUserShape } from './presence.shapes.ts';

/**
 * What a viewer may know of others. Every door asks here: lists, updates, counts, invites, squads, feed, clubs and
 * references. Somebody whom a viewer may not see has to look like somebody who is not there: by what is answered, by
 * the number and the time of updates, and by what an answer costs.
 */
export interface Sight {
  /** Those between whom and the viewer there is a block, whoever has blocked whom. */
  readonly hidden: ReadonlySet<string>;
}

/** The sight of a viewer who has no blocks, and of the people of a gym whom a gateway does not tell apart. */
export const OPEN_SIGHT: Sight = { hidden: new Set() };

export const sightOf = (user: UserRecord): Sight => {
  const hidden = hiddenFrom(user);
  return hidden.size === 0 ? OPEN_SIGHT : { hidden };
};

/** @throws UNAUTHENTICATED or FORBIDDEN if the viewer is no user */
export const readSight = async (journals: Journals, viewer: Viewer): Promise<Sight> =>
  sightOf(await journals.of(users).read(requireUser(viewer).userId));

/** Whether the viewer may know anything of what that user does. */
export const maySee = ({ hidden }: Sight, userId: string): boolean => !hidden.has(userId);

/** What the viewer sees of an entry in the list of a gym; undefined if nothing. */
export function seenIn(
  gymId: string,
  sight: Sight,
  entry: OnlineEntry | undefined,
): OnlineUserShape | undefined {
  if (!entry || entry.gymId !== gymId || !isShown(entry.status) || !maySee(sight, entry.userId))
    return undefined;
  return presented(entry);
}

/** The longest online first. The order of the hub's own map would tell who was there before, unseen. */
export const byTimeOnline = (one: OnlineUserShape, other: OnlineUserShape): number =>
  compare(one.since, other.since) || compare(one.userId, other.userId);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** One object for one entry, so that what is made of it (its JSON) can be kept with it. */
function presented(entry: OnlineEntry): OnlineUserShape {
  const known = shapes.get(entry);
  if (known) return known;
  const { userId, gymId, status, activity, since } = entry;
  const shape = { userId, gymId, status, activity, since } as OnlineUserShape; // `isShown` has excluded OFFLINE
  shapes.set(entry, shape);
  return shape;
}

const shapes = new WeakMap<OnlineEntry, OnlineUserShape>();
