import type { PresenceStatus } from './presence.shapes.ts';

/** A user who has announced themselves, as all doors and instances know them. What others see of it: `visibility.ts`. */
export interface OnlineEntry {
  readonly userId: string;
  readonly gymId: string;
  readonly status: PresenceStatus;
  readonly activity: string | null;
  /** ISO 8601; since when others can see them. */
  readonly since: string;
  /** Counts the user's choices of a status; see `StatusChoice`. */
  readonly choice: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The status that a user has chosen last, as their journal keeps it. `choice` counts the choices. */
export interface StatusChoice {
  readonly status: PresenceStatus;
  readonly choice: number;
}

/** Nobody who has never chosen is hidden. */
export const FIRST_CHOICE: StatusChoice = { status: 'AVAILABLE', choice: 0 };

export interface PresenceAnnouncement extends StatusChoice {
  readonly userId: string;
  readonly gymId: string;
  /** Undefined: what is known stays. */
  readonly activity: string | null | undefined;
}

/** Whether anybody else sees users of this status. */
export const isShown = (status: PresenceStatus): boolean => status !== 'INVISIBLE' && status !== 'OFFLINE';

/**
 * A user's entry after an announcement. An announcement that was decided on an older choice of status than the known
 * entry takes that entry's status: two devices that announce at once must not show a user who has just hidden.
 */
export function entryAfter(
  known: OnlineEntry | undefined,
  { userId, gymId, activity, ...given }: PresenceAnnouncement,
): OnlineEntry {
  const now = Date.now();
  const before = known?.gymId === gymId ? known : undefined;
  const { status, choice } = known && known.choice > given.choice ? known : given;
  const hasGone = status === 'OFFLINE' && before?.status !== 'OFFLINE';
  // `since` of a user who comes out of hiding begins then: an earlier one would say that they had been there.
  const hasAppeared = isShown(status) && (!before || !isShown(before.status));
  return {
    userId,
    gymId,
    status,
    choice,
    activity: activity === undefined ? ((hasGone ? null : before?.activity) ?? null) : activity,
    since: before && !hasAppeared ? before.since : new Date(now).toISOString(),
    // Later than what any instance has said, though its clock may be ahead
    updatedAt: Math.max(now, (known?.updatedAt ?? 0) + 1),
  };
}

/** The later of two entries of one user. All instances choose the same one. */
export function laterOf(one: OnlineEntry, other: OnlineEntry): OnlineEntry {
  const order =
    one.choice - other.choice ||
    one.updatedAt - other.updatedAt ||
    (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
  return order >= 0 ? one : other;
}
