import { laterOf, type OnlineEntry } from './online-entry.ts';

interface OtherInstancesOptions {
  /** Milliseconds for which the users of a lost instance stay online, to connect to another one. */
  graceMillis: number;
  onLost(instanceId: string): void;
  /** Called for each user whose entries have changed. */
  onChange(userId: string): void;
}

/** The entries of the other instances, as far as this instance follows their gyms. */
export class OtherInstances {
  private readonly entries = new Map<string, Map<string, OnlineEntry>>();
  /** For each read of an instance's entries that runs: the users of whom a message came meanwhile. */
  private readonly reads = new Map<string, Set<Set<string>>>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  private readonly options: OtherInstancesOptions;

  constructor(options: OtherInstancesOptions) {
    this.options = options;
  }

  get ids(): string[] {
    return [...this.entries.keys()];
  }

  has(instanceId: string): boolean {
    return this.entries.has(instanceId);
  }

  isLost(instanceId: string): boolean {
    return this.graces.has(instanceId);
  }

  set(instanceId: string, userId: string, entry: OnlineEntry | null): void {
    const theirs = this.entries.get(instanceId);
    if (entry) theirs?.set(userId, entry);
    else theirs?.delete(userId);
    this.reads.get(instanceId)?.forEach((changed) => changed.add(userId));
  }

  /**
   * Replaces what is known of the gym at that instance, which is alive, by what `read` returns. A message that comes during
   * the read is newer than what was read. Resolves to the entries.
   */
  async load(
    gymId: string,
    instanceId: string,
    read: () => Promise<readonly OnlineEntry[]>,
  ): Promise<readonly OnlineEntry[]> {
    const newer = new Set<string>();
    const reads = this.reads.get(instanceId) ?? new Set();
    this.reads.set(instanceId, reads.add(newer));
    try {
      const entries = (await read()).filter(({ userId }) => !newer.has(userId));
      this.replace(gymId, instanceId, entries, newer);
      return entries;
    } finally {
      reads.delete(newer);
      if (reads.size === 0) this.reads.delete(instanceId);
    }
  }

  private replace(
    gymId: string,
    instanceId: string,
    entries: readonly OnlineEntry[],
    newer: ReadonlySet<string>,
  ): void {
    clearTimeout(this.graces.get(instanceId));
    this.graces.delete(instanceId);
    const theirs = this.entries.get(instanceId) ?? new Map<string, OnlineEntry>();
    this.entries.set(instanceId, theirs);
    const changed = new Set(entries.map(({ userId }) => userId));
    for (const [userId, entry] of theirs)
      if (entry.gymId === gymId && !newer.has(userId)) {
        theirs.delete(userId);
        changed.add(userId);
      }
    for (const entry of entries) theirs.set(entry.userId, entry);
    for (const userId of changed) this.options.onChange(userId);
  }

  /** To be called when an instance's lease has expired. Its users stay online for the grace, to connect to another. */
  lose(instanceId: string): void {
    if (this.graces.has(instanceId)) return;
    this.options.onLost(instanceId);
    const timer = setTimeout(() => {
      this.graces.delete(instanceId);
      const theirs = this.entries.get(instanceId);
      this.entries.delete(instanceId);
      for (const userId of theirs?.keys() ?? []) this.options.onChange(userId);
    }, this.options.graceMillis);
    timer.unref();
    this.graces.set(instanceId, timer);
  }

  /** Removes the user at all instances. `onChange` is not called. */
  remove(userId: string): void {
    for (const theirs of this.entries.values()) theirs.delete(userId);
  }

  /** Removes a gym that is no longer followed. */
  forget(gymId: string): void {
    for (const theirs of this.entries.values())
      for (const [userId, entry] of theirs)
        if (entry.gymId === gymId) {
          theirs.delete(userId);
          this.options.onChange(userId);
        }
  }

  /** The latest entry of the user: that of this instance, or of another one. */
  latest(userId: string, own: OnlineEntry | undefined): OnlineEntry | undefined {
    let latest = own;
    for (const theirs of this.entries.values()) {
      const entry = theirs.get(userId);
      if (entry) latest = latest ? laterOf(latest, entry) : entry;
    }
    return latest;
  }

  dispose(): void {
    for (const timer of this.graces.values()) clearTimeout(timer);
    this.graces.clear();
  }
}
