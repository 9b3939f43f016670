import type { OnlineEntry, PresenceAnnouncement } from './presence/online-entry.ts';
import type { ConnectionTimes } from './squads/connection-times.ts';
import type { Journals } from './storage/journal.ts';

export type { OnlineEntry } from './presence/online-entry.ts';

export interface HubSettings {
  /** Milliseconds for which a user stays online after their last connection was lost. */
  graceMillis: number;
}

/**
 * The state that all doors share. Implementations: `hub.memory.ts` for one process, `hub.redis.ts` for any number of
 * instances. It decides no rights: `presence/visibility.ts` decides what a viewer may see.
 */
export interface Hub {
  /** Stored state, and its changes. */
  readonly journals: Journals;
  /** When users connected, also users who have not announced their presence. */
  readonly connectionTimes: ConnectionTimes;
  /**
   * To be called before `onlineIn`, `onlineEntry`, `announce` and `connect`: resolves once this instance knows the entries of
   * the gym. It knows them as long as the gym has connections or listeners here, and for a minute after the last call.
   */
  openGym(gymId: string): Promise<void>;
  /** The same for the gym in which the user has announced their presence last; does nothing if no such gym is known. */
  openGymOf(userId: string): Promise<void>;
  /** All entries of a gym, also of users whose status is INVISIBLE or OFFLINE. */
  onlineIn(gymId: string): Iterable<OnlineEntry>;
  onlineEntry(userId: string): OnlineEntry | undefined;
  /** Sets the user's entry, which stays while they have connections in that gym, and for the grace period afterwards. */
  announce(announcement: PresenceAnnouncement): OnlineEntry;
  /** Removes the user's entry at every instance, also if they have connections. */
  withdraw(userId: string): void;
  /** Counts a connection of the user in that gym until the returned function is called; further calls of it change nothing. */
  connect(userId: string, gymId: string | null): () => void;
  /** Calls `listener` with the id of each user of the gym whose entry changes. Returns a function that removes the listener. */
  watchGym(gymId: string, listener: (userId: string) => void): () => void;
  /** Counts an event of that name. Returns whether there were at most `limit` in this minute. */
  allows(name: string, limit: number): Promise<boolean>;
  /** The number of connections; for leak tests and metrics. */
  readonly connections: number;
  /** For `GET /health/ready`: what does not work now because the shared state cannot be reached, each with its consequence. */
  losses(): Record<string, string>;
  dispose(): Promise<void>;
}
