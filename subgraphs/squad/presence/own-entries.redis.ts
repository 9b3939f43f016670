import { OnlineMap } from './online-map.ts';
import type { OnlineEntry } from './online-entry.ts';
import type { PresenceKeys } from './presence-keys.redis.ts';

/**
 * If there are many changes, those within this time are sent together: one message for each gym, in one packet. The time is
 * shorter than the interval between two updates of a viewer (200 ms). `npm run bench:presence` measures the effect.
 */
const GATHER_MILLIS = 25;
/** With fewer changes within `GATHER_MILLIS`, each is sent at once. */
const MANY_CHANGES = 100;

/** The maximum number of users whose change of gym waits for Redis. Others stay in the old gym until they disconnect there. */
const MAX_UNSENT_MOVES = 10_000;

/**
 * The entries of this instance's own users, and their way to Redis. If a change cannot be written or published, all entries
 * of this instance in that gym are sent when Redis answers again.
 */
export class OwnEntries {
  private readonly keys: PresenceKeys;
  private readonly entries = new OnlineMap();
  /** By gym and user: the changes that were not sent yet; undefined: the entry was removed. */
  private readonly changes = new Map<string, Map<string, OnlineEntry | undefined>>();
  /** By user: the new entries of users who had no entry here before, or one of another gym. Redis does not know their gym yet. */
  private readonly moved = new Map<string, OnlineEntry>();
  private timer: NodeJS.Timeout | undefined;
  /** The changes since `countedFrom`, which is at most `GATHER_MILLIS` ago. */
  private count = 0;
  private countedFrom = 0;
  /** Gyms of which Redis, or another instance, may lack a change. */
  private readonly unwritten = new Set<string>();
  /** By user: entries of `moved` for which Redis did not answer. */
  private readonly unsentMoves = new Map<string, OnlineEntry>();
  /** Whether Redis may lack any entry. */
  private isLost = true;

  constructor(keys: PresenceKeys) {
    this.keys = keys;
  }

  get(userId: string): OnlineEntry | undefined {
    return this.entries.get(userId);
  }

  hasGym(gymId: string): boolean {
    return this.entries.hasGym(gymId);
  }

  set(userId: string, entry: OnlineEntry | undefined): void {
    const before = this.entries.get(userId);
    this.entries.set(userId, entry);
    if (before && before.gymId !== entry?.gymId) this.gather(before.gymId, userId, undefined);
    if (!entry) return;
    this.gather(entry.gymId, userId, entry);
    if (before?.gymId !== entry.gymId) this.moved.set(userId, entry);
  }

  /** Redis may have lost all entries. */
  lose(): void {
    this.isLost = true;
  }

  /** Renews the lease, and writes again what Redis lacks. @throws UPSTREAM_UNAVAILABLE */
  async renew(): Promise<void> {
    if (this.isLost || !(await this.keys.renewLease())) await this.writeAll();
    await this.keys.renewEntries((gymId) => this.unwritten.add(gymId));
    if (this.unwritten.size > 0) await this.writeAgain();
    const moves = Array.from(this.unsentMoves.values());
    this.unsentMoves.clear();
    for (const entry of moves) if (this.get(entry.userId)?.gymId === entry.gymId) await this.move(entry);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private gather(gymId: string, userId: string, entry: OnlineEntry | undefined): void {
    const changes = this.changes.get(gymId);
    if (changes) changes.set(userId, entry);
    else this.changes.set(gymId, new Map([[userId, entry]]));
    const delayMillis = this.areMany() ? GATHER_MILLIS : 0;
    this.timer ??= setTimeout(() => void this.send(), delayMillis);
  }

  /** Counts a change, and returns whether there are many now. */
  private areMany(): boolean {
    const now = performance.now();
    if (now - this.countedFrom > GATHER_MILLIS) {
      this.countedFrom = now;
      this.count = 0;
    }
    this.count += 1;
    return this.count >= MANY_CHANGES;
  }

  private async send(): Promise<void> {
    this.timer = undefined;
    const changes = new Map(this.changes);
    this.changes.clear();
    const moves = [...this.moved.values()];
    this.moved.clear();
    const writing = this.keys.write(changes, (gymId) => !this.hasGym(gymId));
    await Promise.all(moves.map((entry) => this.move(entry)));
    for (const gymId of await writing) this.unwritten.add(gymId);
  }

  private async move(entry: OnlineEntry): Promise<void> {
    await this.keys.moveTo(entry).catch(() => {
      if (this.unsentMoves.size < MAX_UNSENT_MOVES) this.unsentMoves.set(entry.userId, entry);
    });
  }

  private async writeAll(): Promise<void> {
    this.isLost = false;
    try {
      await this.keys.beginLease();
      // A gym whose last entry was removed while Redis did not answer is only among the unwritten ones.
      for (const gymId of this.entries.gymIds()) this.unwritten.add(gymId);
      await this.writeAgain();
    } catch (error) {
      this.isLost = true;
      throw error;
    }
  }

  private async writeAgain(): Promise<void> {
    const gymIds = [...this.unwritten];
    this.unwritten.clear();
    try {
      await this.keys.writeAll(gymIds, (gymId) => [...this.entries.inGym(gymId)]);
    } catch (error) {
      for (const gymId of gymIds) this.unwritten.add(gymId);
      throw error;
    }
  }
}
