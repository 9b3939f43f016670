import { laterOf, type OnlineEntry } from './online-entry.ts';

interface OtherInstancesOptions {
  /** Milliseconds for which the users of a lost instance stay online, to connect to another one. */
  graceMillis: number;
  onLost(instanceId: string): void;
  /** Called for each user whose entries have changed. */
  onChange(userId: string): void;
}

/** The users of one instance in one gym. */
type Users = Map<string, OnlineEntry>;

/**
 * The entries of the other instances, in the gyms that this instance follows. Some loops remove what they iterate over, which
 * a Map allows.
 */
export class OtherInstances {
  /** By gym and instance. */
  private readonly gyms = new Map<string, Map<string, Users>>();
  /** By instance: the followed gyms in which it has entries. */
  private readonly gymsOf = new Map<string, Set<string>>();
  /** The same entries by user. Usually a user has one, at one instance in one gym. */
  private readonly byUser = new Map<string, OnlineEntry | readonly OnlineEntry[]>();
  /** For each running read of an instance's entries in a gym: the users of whom a message has come since its begin. */
  private readonly reads = new Map<string, Set<Set<string>>>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  private readonly options: OtherInstancesOptions;

  constructor(options: OtherInstancesOptions) {
    this.options = options;
  }

  /** The instances with entries here. */
  get ids(): string[] {
    return [...this.gymsOf.keys()];
  }

  /** The instances with entries in the gym. */
  idsIn(gymId: string): Iterable<string> {
    return this.gyms.get(gymId)?.keys() ?? [];
  }

  gymIdsOf(instanceId: string): string[] {
    return [...(this.gymsOf.get(instanceId) ?? [])];
  }

  has(instanceId: string): boolean {
    return this.gymsOf.has(instanceId);
  }

  isLost(instanceId: string): boolean {
    return this.graces.has(instanceId);
  }

  /** Sets or removes the entry of a user in the gym. `onChange` is not called. */
  set(gymId: string, instanceId: string, userId: string, entry: OnlineEntry | undefined): void {
    this.put(gymId, instanceId, userId, entry);
    if (this.reads.size > 0)
      this.reads.get(readOf(gymId, instanceId))?.forEach((changed) => changed.add(userId));
  }

  /**
   * Replaces the known entries of that instance in the gym by what `read` returns. To be called for an instance that is alive.
   * Users of whom a message comes during the read keep the newer entry of the message. Resolves to the entries that were used.
   */
  async load(
    gymId: string,
    instanceId: string,
    read: () => Promise<readonly OnlineEntry[]>,
  ): Promise<readonly OnlineEntry[]> {
    const newer = new Set<string>();
    const name = readOf(gymId, instanceId);
    const reads = this.reads.get(name) ?? new Set();
    this.reads.set(name, reads.add(newer));
    try {
      const entries = (await read()).filter(({ userId }) => !newer.has(userId));
      this.replace(gymId, instanceId, entries, newer);
      return entries;
    } finally {
      reads.delete(newer);
      if (reads.size === 0) this.reads.delete(name);
    }
  }

  /** To be called when an instance's lease has expired. Its users have the grace period to connect to another instance. */
  lose(instanceId: string): void {
    if (this.graces.has(instanceId)) return;
    this.options.onLost(instanceId);
    const timer = setTimeout(() => {
      this.graces.delete(instanceId);
      for (const gymId of this.gymIdsOf(instanceId)) this.removeAll(gymId, instanceId);
    }, this.options.graceMillis);
    timer.unref();
    this.graces.set(instanceId, timer);
  }

  /** Removes the user at all instances. `onChange` is not called. */
  remove(userId: string): void {
    for (const { gymId } of this.entriesOf(userId))
      for (const instanceId of this.idsIn(gymId)) this.put(gymId, instanceId, userId, undefined);
  }

  /** Removes a gym that is no longer followed. */
  forget(gymId: string): void {
    for (const instanceId of this.idsIn(gymId)) this.removeAll(gymId, instanceId);
  }

  /** The latest entry of the user: that of this instance, or of another one. */
  latest(userId: string, own: OnlineEntry | undefined): OnlineEntry | undefined {
    const theirs = this.byUser.get(userId);
    if (!theirs) return own;
    const latest = 'userId' in theirs ? theirs : theirs.reduce(laterOf);
    return own ? laterOf(own, latest) : latest;
  }

  dispose(): void {
    for (const timer of this.graces.values()) clearTimeout(timer);
    this.graces.clear();
  }

  private replace(
    gymId: string,
    instanceId: string,
    entries: readonly OnlineEntry[],
    newer: ReadonlySet<string>,
  ): void {
    clearTimeout(this.graces.get(instanceId));
    this.graces.delete(instanceId);
    const changed = new Set(entries.map(({ userId }) => userId));
    for (const userId of this.gyms.get(gymId)?.get(instanceId)?.keys() ?? [])
      if (!newer.has(userId) && !changed.has(userId)) {
        this.put(gymId, instanceId, userId, undefined);
        changed.add(userId);
      }
    for (const entry of entries) this.put(gymId, instanceId, entry.userId, entry);
    for (const userId of changed) this.options.onChange(userId);
  }

  private removeAll(gymId: string, instanceId: string): void {
    for (const userId of this.gyms.get(gymId)?.get(instanceId)?.keys() ?? []) {
      this.put(gymId, instanceId, userId, undefined);
      this.options.onChange(userId);
    }
  }

  private put(gymId: string, instanceId: string, userId: string, entry: OnlineEntry | undefined): void {
    const instances = this.gyms.get(gymId) ?? new Map<string, Users>();
    const users = instances.get(instanceId) ?? new Map<string, OnlineEntry>();
    const before = users.get(userId);
    if (entry) users.set(userId, entry);
    else users.delete(userId);
    this.replaceOfUser(userId, before, entry);
    if (users.size === 1 && entry && !before) {
      this.gyms.set(gymId, instances.set(instanceId, users));
      this.gymsOf.set(instanceId, (this.gymsOf.get(instanceId) ?? new Set()).add(gymId));
    } else if (users.size === 0) this.removeInstance(gymId, instanceId);
  }

  private removeInstance(gymId: string, instanceId: string): void {
    const instances = this.gyms.get(gymId);
    instances?.delete(instanceId);
    if (instances?.size === 0) this.gyms.delete(gymId);
    const gyms = this.gymsOf.get(instanceId);
    gyms?.delete(gymId);
    if (gyms?.size === 0) this.gymsOf.delete(instanceId);
  }

  private replaceOfUser(
    userId: string,
    before: OnlineEntry | undefined,
    entry: OnlineEntry | undefined,
  ): void {
    const all = this.byUser.get(userId);
    if (entry && (!all || all === before)) return void this.byUser.set(userId, entry);
    if (!entry && all === before) return void this.byUser.delete(userId);
    const others = this.entriesOf(userId).filter((one) => one !== before);
    const entries = entry ? [...others, entry] : others;
    const [first] = entries;
    if (!first) this.byUser.delete(userId);
    else this.byUser.set(userId, entries.length === 1 ? first : entries);
  }

  private entriesOf(userId: string): readonly OnlineEntry[] {
    const theirs = this.byUser.get(userId);
    if (!theirs) return [];
    return 'userId' in theirs ? [theirs] : theirs;
  }
}

const readOf = (gymId: string, instanceId: string): string => `${gymId} ${instanceId}`;
