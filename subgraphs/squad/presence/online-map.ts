import type { OnlineEntry } from '../hub.ts';

/** The entries of online users, by user and by gym, with listeners for changes. */
export class OnlineMap {
  private readonly onlineUsers = new Map<string, OnlineEntry>();
  private readonly byGym = new Map<string, Map<string, OnlineEntry>>();
  private readonly watchers = new Map<string, Set<(userId: string) => void>>();

  get(userId: string): OnlineEntry | undefined {
    return this.onlineUsers.get(userId);
  }

  inGym(gymId: string): Iterable<OnlineEntry> {
    return this.byGym.get(gymId)?.values() ?? [];
  }

  /** The gyms with entries. */
  gymIds(): Iterable<string> {
    return this.byGym.keys();
  }

  hasGym(gymId: string): boolean {
    return this.byGym.has(gymId);
  }

  /** Sets or removes the user's entry, and calls the listeners of its gyms, the old and the new one. */
  set(userId: string, entry: OnlineEntry | undefined): void {
    const before = this.onlineUsers.get(userId);
    if (before === entry) return;
    if (before && before.gymId !== entry?.gymId) {
      const gym = this.byGym.get(before.gymId);
      gym?.delete(userId);
      if (gym?.size === 0) this.byGym.delete(before.gymId);
    }
    if (entry) {
      this.onlineUsers.set(userId, entry);
      const gym = this.byGym.get(entry.gymId) ?? new Map<string, OnlineEntry>();
      gym.set(userId, entry);
      this.byGym.set(entry.gymId, gym);
    } else this.onlineUsers.delete(userId);
    if (isSame(before, entry)) return;
    for (const gymId of new Set([before?.gymId, entry?.gymId]))
      if (gymId) this.watchers.get(gymId)?.forEach((listener) => listener(userId));
  }

  watch(gymId: string, listener: (userId: string) => void): () => void {
    const listeners = this.watchers.get(gymId) ?? new Set();
    listeners.add(listener);
    this.watchers.set(gymId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.watchers.get(gymId) === listeners) this.watchers.delete(gymId);
    };
  }
}

const isSame = (one: OnlineEntry | undefined, other: OnlineEntry | undefined): boolean =>
  one?.gymId === other?.gymId &&
  one?.status === other?.status &&
  one?.activity === other?.activity &&
  one?.since === other?.since;
