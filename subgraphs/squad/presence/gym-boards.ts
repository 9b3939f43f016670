import type { Hub, OnlineEntry } from '../hub.ts';
import type { OnlineUserShape, OnlineUsersUpdate } from './presence.shapes.ts';

/** Above so many online in a gym, updates say only what has changed. */
const FULL_LIST_UP_TO = 100;

/** Somebody who is told of a gym's presence. */
export interface BoardListener {
  /** Wants changes only, however few are online. */
  readonly delta: boolean;
  /** Users whom this listener must not see; read at every update. */
  hidden(): ReadonlySet<string>;
  deliver(update: OnlineUsersUpdate): void;
}

export interface BoardSubscription {
  /** Everybody whom the listener sees now, and the number of the last update. */
  snapshot(): OnlineUsersUpdate;
  /** The listener gets the whole list with the next update, e.g. because whom she may see has changed. */
  refresh(): void;
  stop(): void;
}

/** The presence boards of all gyms that somebody looks at. */
export class GymBoards {
  private readonly boards = new Map<string, GymBoard>();
  private readonly hub: Hub;
  private readonly intervalMillis: number;

  constructor(hub: Hub, intervalMillis: number) {
    this.hub = hub;
    this.intervalMillis = intervalMillis;
  }

  listen(gymId: string, listener: BoardListener): BoardSubscription {
    const board = this.boards.get(gymId) ?? new GymBoard(gymId, this.hub, this.intervalMillis);
    this.boards.set(gymId, board);
    return board.listen(listener);
  }

  /** Listeners of all boards; a figure for leak tests and metrics. */
  get listeners(): number {
    return [...this.boards.values()].reduce((sum, board) => sum + board.size, 0);
  }

  dispose(): void {
    for (const board of this.boards.values()) board.dispose();
  }
}

/**
 * One gym's presence as numbered updates, at most one an interval. What is the same for many listeners is made once:
 * they get the same object, which the socket door serialises once.
 */
class GymBoard {
  private seq = 0;
  private readonly gymId: string;
  private readonly hub: Hub;
  private readonly intervalMillis: number;
  private readonly listeners = new Map<BoardListener, { needsFull: boolean }>();
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private flushedAt = 0;
  /** The list that most see, until something changes. */
  private cachedFull: OnlineUsersUpdate | undefined;
  private readonly unwatch: () => void;

  constructor(gymId: string, hub: Hub, intervalMillis: number) {
    this.gymId = gymId;
    this.hub = hub;
    this.intervalMillis = intervalMillis;
    // Watched as long as the service lives, so that numbers go on where listeners come and go.
    this.unwatch = hub.watchGym(gymId, (userId) => {
      this.changed.add(userId);
      this.cachedFull = undefined;
      this.schedule();
    });
  }

  get size(): number {
    return this.listeners.size;
  }

  listen(listener: BoardListener): BoardSubscription {
    const state = { needsFull: false };
    this.listeners.set(listener, state);
    return {
      snapshot: () => this.fullUpdate(listener.hidden()),
      refresh: () => {
        state.needsFull = true;
        this.schedule();
      },
      stop: () => void this.listeners.delete(listener),
    };
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.unwatch();
  }

  private schedule(): void {
    if (this.timer) return;
    // The first change after a quiet time is told almost at once; what comes with it in the same tick goes along.
    const wait = Math.max(5, this.flushedAt + this.intervalMillis - Date.now());
    this.timer = setTimeout(() => this.flush(), wait);
    this.timer.unref();
  }

  private flush(): void {
    this.timer = undefined;
    this.flushedAt = Date.now();
    const changed = [...this.changed];
    this.changed.clear();
    if (changed.length > 0) this.seq += 1;
    if (this.listeners.size === 0) return;
    const sharedDelta = this.deltaUpdate(changed, NOBODY);
    const manyOnline = this.fullUpdate(NOBODY).users.length > FULL_LIST_UP_TO;
    for (const [listener, state] of this.listeners) {
      if (changed.length === 0 && !state.needsFull) continue;
      const hidden = listener.hidden();
      const full = state.needsFull || !(listener.delta || manyOnline);
      state.needsFull = false;
      if (full) listener.deliver(this.fullUpdate(hidden));
      else listener.deliver(hidden.size === 0 ? sharedDelta : this.deltaUpdate(changed, hidden));
    }
  }

  private fullUpdate(hidden: ReadonlySet<string>): OnlineUsersUpdate {
    if (hidden.size > 0) return { users: this.visible(hidden), removed: [], full: true, seq: this.seq };
    if (this.cachedFull?.seq !== this.seq)
      this.cachedFull = { users: this.visible(NOBODY), removed: [], full: true, seq: this.seq };
    return this.cachedFull;
  }

  private visible(hidden: ReadonlySet<string>): OnlineUserShape[] {
    return [...this.hub.onlineIn(this.gymId)]
      .filter((entry) => isVisible(entry) && !hidden.has(entry.userId))
      .map(presentOnlineUser);
  }

  private deltaUpdate(changed: readonly string[], hidden: ReadonlySet<string>): OnlineUsersUpdate {
    const users: OnlineUserShape[] = [];
    const removed: string[] = [];
    for (const userId of changed) {
      if (hidden.has(userId)) continue;
      const entry = this.hub.onlineEntry(userId);
      if (entry && entry.gymId === this.gymId && isVisible(entry)) users.push(presentOnlineUser(entry));
      else removed.push(userId);
    }
    return { users, removed, full: false, seq: this.seq };
  }
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether others see her at all. */
export const isVisible = (entry: OnlineEntry): boolean => entry.status !== 'INVISIBLE';

/** One object for one entry, so that what is made of it (its JSON) can be kept with it. */
export function presentOnlineUser(entry: OnlineEntry): OnlineUserShape {
  const known = presented.get(entry);
  if (known) return known;
  const { userId, gymId, status, activity, since } = entry;
  const shape = { userId, gymId, status, activity, since };
  presented.set(entry, shape);
  return shape;
}

const presented = new WeakMap<OnlineEntry, OnlineUserShape>();
