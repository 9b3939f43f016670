import type { Hub, HubSettings, OnlineEntry } from './hub.ts';
import { Connections } from './presence/connections.ts';
import { OnlineMap } from './presence/online-map.ts';
import type { PresenceStatus } from './presence/presence.shapes.ts';

/** The hub of a single instance: online state lasts as long as this process. */
export class MemoryHub implements Hub {
  private readonly onlineUsers = new OnlineMap();
  private readonly connections: Connections;

  constructor(settings: HubSettings) {
    this.connections = new Connections(settings.graceMillis, (userId) => this.onlineUsers.set(userId, undefined));
  }

  onlineIn(gymId: string): Iterable<OnlineEntry> {
    return this.onlineUsers.inGym(gymId);
  }

  onlineEntry(userId: string): OnlineEntry | undefined {
    return this.onlineUsers.get(userId);
  }

  announce(userId: string, gymId: string, status: PresenceStatus, activity: string | null): OnlineEntry {
    const updatedAt = Date.now();
    const since = this.onlineUsers.get(userId)?.since ?? new Date(updatedAt).toISOString();
    const entry = { userId, gymId, status, activity, since, updatedAt };
    this.onlineUsers.set(userId, entry);
    this.connections.touch(userId);
    return entry;
  }

  connect(userId: string): () => void {
    return this.connections.open(userId);
  }

  watchGym(gymId: string, listener: (userId: string) => void): () => void {
    return this.onlineUsers.watch(gymId, listener);
  }

  async dispose(): Promise<void> {
    this.connections.dispose();
  }
}
