import type { OnlineUsersUpdate } from './presence.shapes.ts';
import type { Sight } from './visibility.ts';

/** The number and the time of a connection's last update. A connection that begins to listen again keeps its `Pace`. */
export interface Pace {
  /** The number of the last update, or of the first snapshot. */
  seq: number;
  /** Milliseconds since 1970; 0 before the first update. */
  deliveredAt: number;
}

export const newPace = (): Pace => ({ seq: 1, deliveredAt: 0 });

/** A client that gets the updates of a gym's presence. */
export interface BoardListener {
  /** Whether updates contain only changes, even if few users are online. */
  readonly delta: boolean;
  readonly sight: Sight;
  readonly pace: Pace;
  /** Returns false if the client reads too slowly: then the whole list follows later. */
  deliver(update: OnlineUsersUpdate): boolean;
}

export interface BoardSubscription {
  /** The whole list as the listener sees it. Its content is not delivered again. The first call begins the updates. */
  snapshot(): OnlineUsersUpdate;
  /** The listener and its branches get the whole list with the next update. */
  refresh(): void;
  changeSight(sight: Sight): void;
  /**
   * Adds a listener (a branch) that has received the same updates as this one, and may see other users from now on. It
   * continues this listener's rate, so that the change of sight alone neither triggers an update nor delays one. Once both
   * have the same state and the same rate again, the branch is stopped and `onSame` is called.
   */
  branch(branch: BoardBranch): BoardSubscription;
  stop(): void;
}

export interface BoardBranch extends Pick<BoardListener, 'sight' | 'deliver'> {
  onSame(): void;
}
