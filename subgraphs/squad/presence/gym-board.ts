import type { Hub } from '../hub.ts';
import type { BoardContent, OnlineUserShape, OnlineUsersUpdate } from './presence.shapes.ts';
import { byTimeOnline, maySee, OPEN_SIGHT, seenIn, type Sight } from './visibility.ts';

/** Above so many whom a listener sees online, their updates say only what has changed. */
const FULL_LIST_UP_TO = 100;
/** What changes within it goes into one update. */
const GATHER_MILLIS = 5;

/** Goes on when a connection listens a second time, so that its numbers and its rate go on, too. */
export interface Pace {
  /** The number of the last update, or of the first snapshot. */
  seq: number;
  deliveredAt: number;
}

export const newPace = (): Pace => ({ seq: 1, deliveredAt: 0 });

/** A client that gets the updates of a gym's presence. */
export interface BoardListener {
  /** Gets changes only, however few are online. */
  readonly delta: boolean;
  readonly sight: Sight;
  readonly pace: Pace;
  /** False if the client cannot take it now; then the whole list follows later. */
  deliver(update: OnlineUsersUpdate): boolean;
}

export interface BoardSubscription {
  /** Everybody whom the listener sees now. What it holds is not delivered again. */
  snapshot(): OnlineUsersUpdate;
  /** The listener gets the whole list with the next update. */
  refresh(): void;
  /** From now on the listener sees with that sight. */
  look(sight: Sight): void;
  stop(): void;
}

interface Seat {
  readonly listener: BoardListener;
  sight: Sight;
  /** Sight and version of what was delivered last. */
  shownSight: Sight;
  shownVersion: number;
  /** When the next update is to be delivered; undefined while the listener has seen everything. */
  dueAt: number | undefined;
  needsFull: boolean;
}

/** A user of the gym appeared, changed or went, for those who may see them. */
interface Change {
  readonly version: number;
  readonly userId: string;
  readonly before: OnlineUserShape | undefined;
}

/**
 * One gym's presence as numbered updates for each of its listeners, at most one an interval.
 *
 * Whether a listener gets an update, with which number and when, follows from what that listener sees alone: a change
 * that they may not see wakes nobody for them, is not counted, and does not hold up the next one. What is the same for
 * many listeners is made once: they get the same lists, which the socket door writes once.
 */
export class GymBoard {
  private readonly gymId: string;
  private readonly hub: Hub;
  private readonly intervalMillis: number;
  private readonly seats = new Set<Seat>();
  /** Everybody whom a listener without blocks sees. */
  private readonly shown = new Map<string, OnlineUserShape>();
  private version = 0;
  /** What has changed since the oldest state that a listener still has to be brought on from. */
  private changes: Change[] = [];
  /** For the present version: the whole list, and the changes since each older version. */
  private wholeList: BoardContent | undefined;
  private readonly changesSince = new Map<number, BoardContent | undefined>();
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Infinity;
  private readonly unwatch: () => void;

  constructor(gymId: string, hub: Hub, intervalMillis: number) {
    this.gymId = gymId;
    this.hub = hub;
    this.intervalMillis = intervalMillis;
    for (const entry of hub.onlineIn(gymId)) {
      const seen = seenIn(gymId, OPEN_SIGHT, entry);
      if (seen) this.shown.set(entry.userId, seen);
    }
    this.unwatch = hub.watchGym(gymId, (userId) => this.onEntry(userId));
  }

  get size(): number {
    return this.seats.size;
  }

  listen(listener: BoardListener): BoardSubscription {
    const seat: Seat = {
      listener,
      sight: listener.sight,
      shownSight: listener.sight,
      shownVersion: this.version,
      dueAt: undefined,
      needsFull: false,
    };
    this.seats.add(seat);
    return {
      snapshot: () => {
        this.markShown(seat);
        return { ...this.wholeFor(seat), seq: listener.pace.seq };
      },
      refresh: () => {
        seat.needsFull = true;
        this.wake(seat);
      },
      look: (sight) => {
        seat.sight = sight;
        if (this.contentFor(seat)) this.wake(seat);
      },
      stop: () => void this.seats.delete(seat),
    };
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.unwatch();
  }

  private onEntry(userId: string): void {
    const before = this.shown.get(userId);
    const after = seenIn(this.gymId, OPEN_SIGHT, this.hub.onlineEntry(userId));
    if (isSame(before, after)) return;
    if (after) this.shown.set(userId, after);
    else this.shown.delete(userId);
    this.version += 1;
    this.wholeList = undefined;
    this.changesSince.clear();
    if (this.seats.size > 0) this.changes.push({ version: this.version, userId, before });
    for (const seat of this.seats) if (maySee(seat.sight, userId)) this.wake(seat);
    if (this.timerAt === Infinity) this.changes = []; // no listener has to be brought on from an older state
  }

  private wake(seat: Seat): void {
    seat.dueAt ??= Math.max(Date.now() + GATHER_MILLIS, seat.listener.pace.deliveredAt + this.intervalMillis);
    if (seat.dueAt >= this.timerAt) return;
    clearTimeout(this.timer);
    this.timerAt = seat.dueAt;
    this.timer = setTimeout(() => this.deliver(), Math.max(0, seat.dueAt - Date.now()));
    this.timer.unref();
  }

  private deliver(): void {
    this.timerAt = Infinity;
    const now = Date.now();
    for (const seat of this.seats) {
      if (seat.dueAt === undefined) continue;
      if (seat.dueAt <= now) this.deliverTo(seat, now);
      else this.wake(seat);
    }
    const waiting = [...this.seats].filter(({ dueAt }) => dueAt !== undefined);
    const oldest = Math.min(this.version, ...waiting.map(({ shownVersion }) => shownVersion));
    this.changes = this.changes.filter(({ version }) => version > oldest);
  }

  private deliverTo(seat: Seat, now: number): void {
    const { pace } = seat.listener;
    const content = this.contentFor(seat);
    this.markShown(seat);
    if (!content) return;
    pace.deliveredAt = now;
    if (seat.listener.deliver({ ...content, seq: pace.seq + 1 })) pace.seq += 1;
    else {
      seat.needsFull = true;
      this.wake(seat);
    }
  }

  private markShown(seat: Seat): void {
    seat.shownSight = seat.sight;
    seat.shownVersion = this.version;
    seat.dueAt = undefined;
    seat.needsFull = false;
  }

  /** What the listener has not seen yet; undefined if nothing, also if what had changed is as it was before. */
  private contentFor(seat: Seat): BoardContent | undefined {
    const { sight, shownSight, shownVersion } = seat;
    const isOpen = sight.hidden.size === 0 && shownSight.hidden.size === 0;
    const changes = isOpen ? this.openChanges(shownVersion) : this.changesFor(seat);
    if (!changes && !seat.needsFull) return undefined;
    const isDelta = seat.listener.delta || this.countFor(sight) > FULL_LIST_UP_TO;
    return changes && isDelta && !seat.needsFull ? changes : this.wholeFor(seat);
  }

  /** As it is for all who have no blocks. */
  private openChanges(since: number): BoardContent | undefined {
    if (!this.changesSince.has(since)) {
      const seat = { sight: OPEN_SIGHT, shownSight: OPEN_SIGHT, shownVersion: since };
      this.changesSince.set(since, this.changesFor(seat));
    }
    return this.changesSince.get(since);
  }

  private changesFor({
    sight,
    shownSight,
    shownVersion,
  }: Pick<Seat, 'sight' | 'shownSight' | 'shownVersion'>): BoardContent | undefined {
    const before = new Map<string, OnlineUserShape | undefined>();
    for (const change of this.changes)
      if (change.version > shownVersion && !before.has(change.userId))
        before.set(change.userId, change.before);
    if (sight !== shownSight)
      for (const userId of [...sight.hidden, ...shownSight.hidden])
        if (!before.has(userId)) before.set(userId, this.shown.get(userId));
    const users: OnlineUserShape[] = [];
    const removed: string[] = [];
    for (const [userId, shape] of before) {
      const then = maySee(shownSight, userId) ? shape : undefined;
      const now = maySee(sight, userId) ? this.shown.get(userId) : undefined;
      if (isSame(then, now)) continue;
      if (now) users.push(now);
      else removed.push(userId);
    }
    if (users.length + removed.length === 0) return undefined;
    return { users: users.toSorted(byTimeOnline), removed: removed.toSorted(), full: false };
  }

  private wholeFor({ sight }: Pick<Seat, 'sight'>): BoardContent {
    this.wholeList ??= { users: [...this.shown.values()].toSorted(byTimeOnline), removed: [], full: true };
    if (sight.hidden.size === 0) return this.wholeList;
    return { ...this.wholeList, users: this.wholeList.users.filter(({ userId }) => maySee(sight, userId)) };
  }

  private countFor({ hidden }: Sight): number {
    let count = this.shown.size;
    for (const userId of hidden) if (this.shown.has(userId)) count -= 1;
    return count;
  }
}

const isSame = (one: OnlineUserShape | undefined, other: OnlineUserShape | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.status === other.status &&
    one.activity === other.activity &&
    one.since === other.since);
