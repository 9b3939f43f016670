import { requireUser, type Viewer } from '#server/auth/viewer.ts';
import type { StoredGroup } from '../gyms/gym.journal.ts';
import type { Journals } from '../storage/journal.ts';
import { hiddenFrom, users, type UserRecord } from '../users/user.journal.ts';
import { isShown, type OnlineEntry } from './online-entry.ts';
import type { OnlineUserShape } from './presence.shapes.ts';

/**
 * What a viewer may know of other users: the one rule for lists, updates, counts, invites, squads, feed, clubs and
 * references. To the viewer a hidden user must look like one who is offline: in answers, in the number and the time of
 * updates, and in the time that an answer takes.
 */
export interface Sight {
  /** Users with a block between them and the viewer, whichever of the two has blocked the other. */
  readonly hidden: ReadonlySet<string>;
}

/** The sight of viewers without blocks, and of the eligible members of an audience. */
export const OPEN_SIGHT: Sight = { hidden: new Set() };

export const sightOf = (user: UserRecord): Sight => {
  const hidden = hiddenFrom(user);
  return hidden.size === 0 ? OPEN_SIGHT : { hidden };
};

/** @throws UNAUTHENTICATED or FORBIDDEN if the viewer is not a user */
export const readSight = async (journals: Journals, viewer: Viewer): Promise<Sight> =>
  sightOf(await journals.of(users).read(requireUser(viewer).userId));

/** Whether the viewer may know anything about that user. */
export const maySee = ({ hidden }: Sight, userId: string): boolean => !hidden.has(userId);

/**
 * Whether a club exists for the viewer: not if they may see none of its members, because an empty club would reveal that a
 * member is hidden from them.
 */
export const maySeeClub = (sight: Sight, { memberIds }: StoredGroup): boolean =>
  memberIds.some((memberId) => maySee(sight, memberId));

/** The entry as the viewer sees it in the list of the gym; undefined if they do not see it. */
export function seenIn(
  gymId: string,
  sight: Sight,
  entry: OnlineEntry | undefined,
): OnlineUserShape | undefined {
  if (!entry || entry.gymId !== gymId || !isShown(entry.status) || !maySee(sight, entry.userId))
    return undefined;
  return presented(entry);
}

/** The longest online first. The order of the hub's map would reveal which users had been online, but invisible. */
export const byTimeOnline = (one: OnlineUserShape, other: OnlineUserShape): number =>
  compare(one.since, other.since) || compare(one.userId, other.userId);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Returns the same object for the same entry: `socket/frames.ts` caches the JSON of a user by this object. */
function presented(entry: OnlineEntry): OnlineUserShape {
  const known = shapes.get(entry);
  if (known) return known;
  const { userId, gymId, status, activity, since } = entry;
  const shape = { userId, gymId, status, activity, since } as OnlineUserShape; // `isShown` has excluded OFFLINE
  shapes.set(entry, shape);
  return shape;
}

const shapes = new WeakMap<OnlineEntry, OnlineUserShape>();
