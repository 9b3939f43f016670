import type { PresenceStatus } from './presence.shapes.ts';

/** The presence of a user, the same for all doors and instances. `visibility.ts` decides what others see of it. */
export interface OnlineEntry {
  readonly userId: string;
  readonly gymId: string;
  readonly status: PresenceStatus;
  readonly activity: string | null;
  /** ISO 8601: when others began to see them. */
  readonly since: string;
  /** Counts the user's choices of a status; see `StatusChoice`. */
  readonly choice: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The status that a user has chosen last, as their journal stores it. `choice` counts their choices. */
export interface StatusChoice {
  readonly status: PresenceStatus;
  readonly choice: number;
}

/** The status of users who have never chosen one. */
export const FIRST_CHOICE: StatusChoice = { status: 'AVAILABLE', choice: 0 };

export interface PresenceAnnouncement extends StatusChoice {
  readonly userId: string;
  readonly gymId: string;
  /** Undefined: the activity stays. */
  readonly activity: string | null | undefined;
}

/** Whether anybody else sees users of this status. */
export const isShown = (status: PresenceStatus): boolean => status !== 'INVISIBLE' && status !== 'OFFLINE';

/**
 * A user's entry after an announcement. If the known entry has a later choice of status than the announcement, that
 * status stays: two devices that announce at once must not show a user who has just become invisible.
 */
export function entryAfter(
  known: OnlineEntry | undefined,
  { userId, gymId, activity, ...given }: PresenceAnnouncement,
): OnlineEntry {
  const now = Date.now();
  const before = known?.gymId === gymId ? known : undefined;
  const { status, choice } = known && known.choice > given.choice ? known : given;
  const hasGone = status === 'OFFLINE' && before?.status !== 'OFFLINE';
  // A user who becomes visible gets a new `since`: the old one would reveal that they were online before.
  const hasAppeared = isShown(status) && (!before || !isShown(before.status));
  return {
    userId,
    gymId,
    status,
    choice,
    activity: activity === undefined ? ((hasGone ? null : before?.activity) ?? null) : activity,
    since: before && !hasAppeared ? before.since : new Date(now).toISOString(),
    // Must be later than that of the known entry, even if the clock of that entry's instance is ahead
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
