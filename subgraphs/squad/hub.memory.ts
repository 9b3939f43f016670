import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import type { Hub, HubSettings, OnlineEntry } from './hub.ts';
import { Connections } from './presence/connections.ts';
import { entryAfter, type PresenceAnnouncement } from './presence/online-entry.ts';
import { OnlineMap } from './presence/online-map.ts';
import { MemoryConnectionTimes } from './squads/connection-times.ts';
import type { Journals } from './storage/journal.ts';

const MINUTE_MILLIS = 60_000;

/** The hub of a single instance: online state lasts as long as this process. */
export class MemoryHub implements Hub {
  readonly journals: Journals;
  readonly connectionTimes = new MemoryConnectionTimes();
  private readonly onlineUsers = new OnlineMap();
  private readonly openConnections: Connections;
  private readonly counts = boundedCache<string, { count: number }>({
    name: 'squad_rates',
    maxEntries: 50_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: (_counted, key) => bytesOfText(key) + 50,
    ttlMillis: MINUTE_MILLIS,
  });

  private readonly onDispose: () => void | Promise<void>;

  /** @param onDispose called last, e.g. to release a lock */
  constructor(
    settings: HubSettings,
    journals: Journals,
    onDispose: () => void | Promise<void> = () => undefined,
  ) {
    this.journals = journals;
    this.onDispose = onDispose;
    this.openConnections = new Connections(settings.graceMillis, (userId, gymId) =>
      this.leave(userId, gymId),
    );
  }

  async openGym(): Promise<void> {
    // all gyms are known
  }

  async openGymOf(): Promise<void> {
    // all gyms are known
  }

  onlineIn(gymId: string): Iterable<OnlineEntry> {
    return this.onlineUsers.inGym(gymId);
  }

  onlineEntry(userId: string): OnlineEntry | undefined {
    return this.onlineUsers.get(userId);
  }

  announce(announcement: PresenceAnnouncement): OnlineEntry {
    const { userId, gymId } = announcement;
    const entry = entryAfter(this.onlineUsers.get(userId), announcement);
    this.onlineUsers.set(userId, entry);
    this.openConnections.touch(userId, gymId);
    return entry;
  }

  withdraw(userId: string): void {
    this.onlineUsers.set(userId, undefined);
  }

  connect(userId: string, gymId: string | null): () => void {
    const known = this.onlineUsers.get(userId);
    // A member who connects in another gym, and has no connection left in the gym of their entry, has changed their gym.
    if (known && known.gymId !== gymId && !this.openConnections.has(userId, known.gymId))
      this.withdraw(userId);
    const ends = [this.openConnections.open(userId, gymId ?? ''), this.connectionTimes.open(userId)];
    return () => ends.forEach((end) => end());
  }

  watchGym(gymId: string, listener: (userId: string) => void): () => void {
    return this.onlineUsers.watch(gymId, listener);
  }

  async allows(name: string, limit: number): Promise<boolean> {
    const known = this.counts.get(name) ?? { count: 0 };
    known.count += 1;
    if (known.count === 1) this.counts.set(name, known);
    return known.count <= limit;
  }

  get connections(): number {
    return this.openConnections.size;
  }

  losses(): Record<string, string> {
    return {}; // nothing is shared
  }

  async dispose(): Promise<void> {
    this.openConnections.dispose();
    this.connectionTimes.dispose();
    await this.journals.close();
    await this.onDispose();
  }

  private leave(userId: string, gymId: string): void {
    if (this.onlineUsers.get(userId)?.gymId === gymId) this.onlineUsers.set(userId, undefined);
  }
}
