import type { OnlineEntry, PresenceAnnouncement } from './presence/online-entry.ts';
import type { ConnectionTimes } from './squads/connection-times.ts';
import type { Journals } from './storage/journal.ts';

export type { OnlineEntry } from './presence/online-entry.ts';

export interface HubSettings {
  /** How long a user stays online after their last connection was lost. */
  graceMillis: number;
}

/**
 * What all doors share: who is online, and what happens. Implementations: `hub.memory.ts` for one process,
 * `hub.redis.ts` for any number of instances. It decides no rights: what a viewer may see of it is decided by
 * `presence/visibility.ts`.
 */
export interface Hub {
  /** Everything that lasts, and what happens to it. */
  readonly journals: Journals;
  /** Since when people are connected, announced or not. */
  readonly connectionTimes: ConnectionTimes;
  /** Every entry of a gym, also of those who are invisible or have gone offline by their own choice. */
  onlineIn(gymId: string): Iterable<OnlineEntry>;
  onlineEntry(userId: string): OnlineEntry | undefined;
  /** The user has an entry from now on: while they have connections in that gym, and for the grace after. */
  announce(announcement: PresenceAnnouncement): OnlineEntry;
  /** The user has no entry from now on, at every instance, whatever connections they have. */
  withdraw(userId: string): void;
  /** Counts a connection of the user as a member of that gym, until the returned function is called (once or more). */
  connect(userId: string, gymId: string | null): () => void;
  /** Calls `listener` with each user of the gym whose entry has changed, appeared or gone. Returns what ends it. */
  watchGym(gymId: string, listener: (userId: string) => void): () => void;
  /** Whether one more of what `name` counts is within `limit` a minute. */
  allows(name: string, limit: number): Promise<boolean>;
  /** Connections that are counted now; a figure for leak tests and metrics. */
  readonly connections: number;
  /** Rejects if what is shared cannot be reached. */
  check(): Promise<void>;
  dispose(): Promise<void>;
}
