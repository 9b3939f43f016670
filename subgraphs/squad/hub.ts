import type { ConnectionTimes } from './squads/connection-times.ts';
import type { PresenceStatus } from './presence/presence.shapes.ts';
import type { Journals } from './storage/journal.ts';

/** A user who has announced herself, as all doors and instances know her. */
export interface OnlineEntry {
  readonly userId: string;
  readonly gymId: string;
  readonly status: PresenceStatus;
  readonly activity: string | null;
  /** ISO 8601; when she came online. */
  readonly since: string;
  /** Milliseconds since 1970; of several words about one user the latest counts. */
  readonly updatedAt: number;
}

export interface HubSettings {
  /** How long a user stays online after her last connection was lost. */
  graceMillis: number;
}

/**
 * What all doors share: who is online, and what happens. Implementations: `hub.memory.ts` for one process,
 * `hub.redis.ts` for any number of instances. It decides no rights: that is the rules' business.
 */
export interface Hub {
  /** Everything that lasts, and what happens to it. */
  readonly journals: Journals;
  /** Since when people are connected, announced or not. */
  readonly connectionTimes: ConnectionTimes;
  /** Everybody online in a gym, the invisible included. */
  onlineIn(gymId: string): Iterable<OnlineEntry>;
  onlineEntry(userId: string): OnlineEntry | undefined;
  /** She is online from now on: while she has connections, and for the grace after. */
  announce(userId: string, gymId: string, status: PresenceStatus, activity: string | null): OnlineEntry;
  /** She is offline at once, at every instance, whatever connections she has. */
  withdraw(userId: string): void;
  /** Counts a connection of hers until the returned function is called (once or more). */
  connect(userId: string): () => void;
  /** Calls `listener` with each user of the gym whose entry has changed, appeared or gone. Returns what ends it. */
  watchGym(gymId: string, listener: (userId: string) => void): () => void;
  /** Whether one more of what `name` counts is within `limit` a minute. */
  allows(name: string, limit: number): Promise<boolean>;
  /** Connections that are counted now; a figure for leak tests and metrics. */
  readonly connections: number;
  /** Rejects where what is shared cannot be reached. */
  check(): Promise<void>;
  dispose(): Promise<void>;
}
