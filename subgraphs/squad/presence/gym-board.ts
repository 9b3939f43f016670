import type { Hub } from '../hub.ts';
import type { BoardBranch, BoardListener, BoardSubscription } from './board-listener.ts';
import type { BoardContent, OnlineUserShape } from './presence.shapes.ts';
import { byTimeOnline, maySee, OPEN_SIGHT, seenIn, type Sight } from './visibility.ts';

/** A listener who sees more users online than this gets only changes. */
const FULL_LIST_UP_TO = 100;
/** Changes within this time make one update. */
const GATHER_MILLIS = 5;

/** A listener and what it has received. */
interface Listening {
  readonly listener: BoardListener;
  sight: Sight;
  /** The sight and the version with which the listener was last up to date, also if there was no difference to deliver. */
  shownSight: Sight;
  shownVersion: number;
  /** Milliseconds since 1970: when the next update is delivered; undefined if none is due. */
  dueAt: number | undefined;
  needsFull: boolean;
  /** Before its first snapshot a listener gets no updates. */
  hasSnapshot: boolean;
  readonly branch: { readonly of: Listening; onSame(): void } | undefined;
}

/** A user of the gym appeared, changed or disappeared. */
interface Change {
  readonly version: number;
  readonly userId: string;
  readonly before: OnlineUserShape | undefined;
}

/**
 * One gym's presence as numbered updates for each of its listeners, at most one an interval.
 *
 * Whether and when a listener gets an update, and with which number, depends only on what that listener may see: a
 * hidden change triggers no update, is not counted, and does not delay the next one. Listeners without blocks share the
 * same lists, which the socket door serialises once.
 */
export class GymBoard {
  private readonly gymId: string;
  private readonly hub: Hub;
  private readonly intervalMillis: number;
  private readonly listenings = new Set<Listening>();
  /** The users whom a listener without blocks sees. */
  private readonly shown = new Map<string, OnlineUserShape>();
  private version = 0;
  /** Changes since the oldest version that a waiting listener has. */
  private changes: Change[] = [];
  /** Computed once per version, for listeners without blocks: the whole list, and the changes since each older version. */
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
    return this.listenings.size;
  }

  listen(listener: BoardListener): BoardSubscription {
    return this.add({
      listener,
      sight: listener.sight,
      shownSight: listener.sight,
      shownVersion: this.version,
      dueAt: undefined,
      needsFull: false,
      hasSnapshot: false,
      branch: undefined,
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.unwatch();
  }

  private add(listening: Listening): BoardSubscription {
    this.listenings.add(listening);
    return {
      snapshot: () => {
        listening.hasSnapshot = true;
        this.markShown(listening);
        return { ...this.wholeFor(listening), seq: listening.listener.pace.seq };
      },
      refresh: () => {
        for (const one of this.listenings)
          if (one === listening || one.branch?.of === listening) {
            one.needsFull = true;
            this.wake(one);
          }
      },
      changeSight: (sight) => {
        this.changeSight(listening, sight);
        this.endIfSame(listening);
      },
      branch: (branch) => this.branch(listening, branch),
      stop: () => void this.listenings.delete(listening),
    };
  }

  private branch(of: Listening, { sight, deliver, onSame }: BoardBranch): BoardSubscription {
    const listening: Listening = {
      ...of,
      listener: { ...of.listener, pace: { ...of.listener.pace }, deliver },
      branch: { of, onSame },
    };
    const subscription = this.add(listening);
    this.changeSight(listening, sight);
    return subscription;
  }

  private changeSight(listening: Listening, sight: Sight): void {
    listening.sight = sight;
    if (this.contentFor(listening)) this.wake(listening);
    // The listener sees no difference now. Later changes of hidden users must not be compared with the old sight.
    else if (listening.dueAt === undefined) this.markShown(listening);
  }

  /** Stops a branch that has the same state as its origin, and will get the same updates at the same times. */
  private endIfSame(listening: Listening): void {
    const { branch } = listening;
    if (!branch || !this.listenings.has(listening) || !this.isSameAs(listening, branch.of)) return;
    this.listenings.delete(listening);
    branch.onSame();
  }

  private isSameAs(one: Listening, other: Listening): boolean {
    const now = Date.now();
    const readyAt = ({ listener: { pace } }: Listening) =>
      Math.max(now, pace.deliveredAt + this.intervalMillis);
    return (
      one.sight === other.sight &&
      one.shownSight === other.shownSight &&
      one.shownVersion === other.shownVersion &&
      one.dueAt === other.dueAt &&
      one.needsFull === other.needsFull &&
      readyAt(one) === readyAt(other)
    );
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
    if (this.listenings.size > 0) this.changes.push({ version: this.version, userId, before });
    for (const listening of this.listenings) if (maySee(listening.sight, userId)) this.wake(listening);
    if (this.timerAt === Infinity) this.changes = []; // no listener waits for an update
  }

  private wake(listening: Listening): void {
    if (!listening.hasSnapshot) return;
    listening.dueAt ??= Math.max(
      Date.now() + GATHER_MILLIS,
      listening.listener.pace.deliveredAt + this.intervalMillis,
    );
    if (listening.dueAt >= this.timerAt) return;
    clearTimeout(this.timer);
    this.timerAt = listening.dueAt;
    this.timer = setTimeout(() => this.deliver(), Math.max(0, listening.dueAt - Date.now()));
    this.timer.unref();
  }

  private deliver(): void {
    this.timerAt = Infinity;
    const now = Date.now();
    for (const listening of this.listenings) {
      if (listening.dueAt === undefined) continue;
      if (listening.dueAt <= now) this.deliverTo(listening, now);
      else this.wake(listening);
    }
    for (const listening of this.listenings) this.endIfSame(listening);
    const waiting = [...this.listenings].filter(({ dueAt }) => dueAt !== undefined);
    const oldest = Math.min(this.version, ...waiting.map(({ shownVersion }) => shownVersion));
    this.changes = this.changes.filter(({ version }) => version > oldest);
  }

  private deliverTo(listening: Listening, now: number): void {
    const { pace } = listening.listener;
    const content = this.contentFor(listening);
    this.markShown(listening);
    if (!content) return;
    pace.deliveredAt = now;
    if (listening.listener.deliver({ ...content, seq: pace.seq + 1 })) pace.seq += 1;
    else {
      listening.needsFull = true;
      this.wake(listening);
    }
  }

  private markShown(listening: Listening): void {
    listening.shownSight = listening.sight;
    listening.shownVersion = this.version;
    listening.dueAt = undefined;
    listening.needsFull = false;
  }

  /** The next update; undefined if the listener would see no difference, e.g. because a change was undone. */
  private contentFor(listening: Listening): BoardContent | undefined {
    const { sight, shownSight, shownVersion } = listening;
    const isOpen = sight.hidden.size === 0 && shownSight.hidden.size === 0;
    const changes = isOpen ? this.openChanges(shownVersion) : this.changesFor(listening);
    if (!changes && !listening.needsFull) return undefined;
    const isDelta = listening.listener.delta || this.countFor(sight) > FULL_LIST_UP_TO;
    return changes && isDelta && !listening.needsFull ? changes : this.wholeFor(listening);
  }

  /** The changes for listeners without blocks. */
  private openChanges(since: number): BoardContent | undefined {
    if (!this.changesSince.has(since)) {
      const listening = { sight: OPEN_SIGHT, shownSight: OPEN_SIGHT, shownVersion: since };
      this.changesSince.set(since, this.changesFor(listening));
    }
    return this.changesSince.get(since);
  }

  private changesFor({
    sight,
    shownSight,
    shownVersion,
  }: Pick<Listening, 'sight' | 'shownSight' | 'shownVersion'>): BoardContent | undefined {
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

  private wholeFor({ sight }: Pick<Listening, 'sight'>): BoardContent {
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
