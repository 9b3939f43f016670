import { randomUUID } from 'node:crypto';
import type { Logger } from '#server/observability/logger.ts';
import { isRedisLost } from '#server/redis/redis-connection.ts';
import type { Hub, HubSettings, OnlineEntry } from './hub.ts';
import { Connections } from './presence/connections.ts';
import { FollowedGyms } from './presence/followed-gyms.ts';
import { entryAfter, laterOf, type PresenceAnnouncement } from './presence/online-entry.ts';
import { OtherInstances } from './presence/other-instances.ts';
import { PresenceKeys, WITHDRAWALS, type PresenceMessage } from './presence/presence-keys.redis.ts';
import { OnlineMap } from './presence/online-map.ts';
import { RedisConnectionTimes } from './squads/connection-times.redis.ts';
import type { Journals } from './storage/journal.ts';
import { RENEWAL_MILLIS } from './storage/instance-lease.ts';
import type { RedisConnections } from './storage/redis-connections.ts';

/**
 * The hub of any number of instances. Each instance stores the entries of its own connections in Redis, in a hash for each
 * gym, and publishes every change in the gym's channel. It has a copy of the entries of the gyms that it follows: those of
 * its own connections and listeners, and those that were asked for a moment ago. If several instances have an entry of a
 * user, the latest entry counts. If Redis is unreachable, each instance continues with the entries that it has; if Redis has
 * lost data, each instance writes its own entries again.
 */
export class RedisHub implements Hub {
  readonly journals: Journals;
  readonly connectionTimes: RedisConnectionTimes;
  private readonly instanceId = randomUUID();
  private readonly redis: RedisConnections;
  private readonly log: Logger;
  private readonly keys: PresenceKeys;
  private readonly onlineUsers = new OnlineMap();
  private readonly open: Connections;
  private readonly own = new Map<string, OnlineEntry>();
  private readonly others: OtherInstances;
  private readonly gyms: FollowedGyms;
  /** The number of connections and listeners of this instance in each gym. */
  private readonly needs = new Map<string, number>();
  /** Whether Redis lacks a change of this instance, so that the next renewal has to write all entries. */
  private isStale = true;
  private renewing: NodeJS.Timeout | undefined;

  private constructor(settings: HubSettings, journals: Journals, redis: RedisConnections, log: Logger) {
    this.redis = redis;
    this.log = log;
    this.journals = journals;
    this.keys = new PresenceKeys(redis, this.instanceId);
    this.connectionTimes = new RedisConnectionTimes(redis, this.instanceId, log);
    this.open = new Connections(settings.graceMillis, (userId, gymId) => this.leave(userId, gymId));
    this.others = new OtherInstances({
      graceMillis: settings.graceMillis,
      onLost: (instanceId) => log.warn({ instanceId }, 'an instance of the squad service is gone'),
      onChange: (userId) => this.merge(userId),
    });
    this.gyms = new FollowedGyms({
      subscribe: (gymId) => this.keys.subscribe(gymId, (message) => this.onMessage(gymId, message)),
      load: (gymId) => this.load(gymId),
      isNeeded: (gymId) =>
        this.needs.has(gymId) || [...this.own.values()].some((entry) => entry.gymId === gymId),
      forget: (gymId) => this.others.forget(gymId),
    });
  }

  static async start(
    settings: HubSettings,
    journals: Journals,
    redis: RedisConnections,
    log: Logger,
  ): Promise<RedisHub> {
    const hub = new RedisHub(settings, journals, redis, log);
    await redis.subscribe(WITHDRAWALS, (userId) => hub.onWithdrawn(userId));
    await hub.renew();
    const renewAgain = () =>
      void hub.renew().catch((error: unknown) => {
        if (!isRedisLost(error)) log.warn({ err: error }, 'presence is not shared now');
      });
    hub.renewing = setInterval(renewAgain, RENEWAL_MILLIS);
    hub.renewing.unref();
    redis.onReady(() => {
      hub.gyms.reload();
      renewAgain();
    });
    return hub;
  }

  openGym(gymId: string): Promise<void> {
    return this.gyms.open(gymId);
  }

  async openGymOf(userId: string): Promise<void> {
    const gymId = await this.keys.gymOf(userId).catch(() => undefined);
    if (gymId) await this.gyms.open(gymId);
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
    this.setOwn(userId, entry);
    this.open.touch(userId, gymId);
    return entry;
  }

  withdraw(userId: string): void {
    this.onWithdrawn(userId);
    void this.redis
      .write((client) => client.publish(WITHDRAWALS, userId))
      .catch((error: unknown) =>
        this.log.warn(
          { reason: (error as Error).message },
          'the other instances did not receive that a user is offline',
        ),
      );
  }

  connect(userId: string, gymId: string | null): () => void {
    const known = this.onlineUsers.get(userId);
    if (known?.gymId === gymId) {
      // So the user stays online at this instance after their connections to the instance that had the entry have ended.
      if (!this.own.has(userId)) this.setOwn(userId, known);
    } else if (known && this.own.has(userId) && !this.open.has(userId, known.gymId)) {
      // A member who connects in another gym, and has no connection left in the gym of their entry, has changed their gym.
      this.setOwn(userId, undefined);
    }
    const ends = [
      this.open.open(userId, gymId ?? ''),
      this.connectionTimes.open(userId),
      ...(gymId ? [this.need(gymId)] : []),
    ];
    return () => ends.forEach((end) => end());
  }

  watchGym(gymId: string, listener: (userId: string) => void): () => void {
    const ends = [this.onlineUsers.watch(gymId, listener), this.need(gymId)];
    return () => ends.forEach((end) => end());
  }

  async allows(name: string, limit: number): Promise<boolean> {
    const key = `squad:limit:${name}:${Math.floor(Date.now() / 60_000)}`;
    try {
      const [count] = await this.redis.attempt((client) => client.multi().incr(key).expire(key, 60).exec());
      return Number(count) <= limit;
    } catch {
      return true; // without Redis nothing is counted, and nothing is refused
    }
  }

  get connections(): number {
    return this.open.size;
  }

  async check(): Promise<void> {
    await this.redis.read((client) => client.ping());
  }

  async dispose(): Promise<void> {
    clearInterval(this.renewing);
    this.open.dispose();
    this.connectionTimes.dispose();
    this.others.dispose();
    await this.journals.close();
    // The other instances keep this instance's users online for the grace, during which the users connect again.
    await this.keys.endLease().catch(() => undefined);
    this.gyms.dispose();
    this.redis.close();
  }

  /** Follows the gym until the returned function is called; further calls of it change nothing. */
  private need(gymId: string): () => void {
    this.needs.set(gymId, (this.needs.get(gymId) ?? 0) + 1);
    void this.gyms.open(gymId);
    let isNeeded = true;
    return () => {
      if (!isNeeded) return;
      isNeeded = false;
      const left = (this.needs.get(gymId) ?? 1) - 1;
      if (left > 0) this.needs.set(gymId, left);
      else this.needs.delete(gymId);
    };
  }

  private setOwn(userId: string, entry: OnlineEntry | undefined): void {
    const before = this.own.get(userId);
    if (entry) this.own.set(userId, entry);
    else this.own.delete(userId);
    this.merge(userId);
    // All are sent at once, so that Redis gets the changes of a user in their order.
    const hasMoved = before?.gymId !== entry?.gymId;
    Promise.all([
      before && hasMoved && this.keys.set(before.gymId, userId, null),
      entry && this.keys.set(entry.gymId, userId, entry),
      entry && hasMoved && this.keys.moveTo(entry),
    ]).catch(() => (this.isStale = true));
  }

  private leave(userId: string, gymId: string): void {
    if (this.own.get(userId)?.gymId === gymId) this.setOwn(userId, undefined);
  }

  private onWithdrawn(userId: string): void {
    this.others.remove(userId);
    if (this.own.has(userId)) this.setOwn(userId, undefined);
    else this.merge(userId);
  }

  private onMessage(gymId: string, message: PresenceMessage): void {
    const { from } = message;
    if (from === this.instanceId) return;
    if ('moved' in message) return this.onMoved(message.moved);
    // The instance is not known yet, or has written all its entries again.
    if ('hello' in message || !this.others.has(from))
      return void this.loadInstance(gymId, from).catch(() => this.gyms.reload());
    const { userId, entry } = message;
    this.others.set(from, userId, entry);
    this.adopt(userId, entry);
    this.merge(userId);
  }

  /** The user has announced their presence in another gym. This instance needs to be notified, because it may follow only the old one. */
  private onMoved(entry: OnlineEntry): void {
    const mine = this.own.get(entry.userId);
    if (mine && mine.gymId !== entry.gymId && isLater(entry, mine)) this.setOwn(entry.userId, undefined);
  }

  /**
   * Makes the latest entry of a user this instance's own, if the user is connected here. A request to another instance may
   * have announced it, and that instance removes its entry after the grace period. A later entry of another gym only removes
   * this instance's own entry, if the user is not connected here in that gym: they have left the gym of the own entry.
   */
  private adopt(userId: string, entry: OnlineEntry | null): void {
    const mine = this.own.get(userId);
    if (!entry || (mine && !isLater(entry, mine))) return;
    // This publishes the entry, so that the other instances do not return to an older one when the instance at which it was
    // announced removes it.
    if (mine?.gymId === entry.gymId || this.open.has(userId, entry.gymId)) this.setOwn(userId, entry);
    else if (mine) this.setOwn(userId, undefined);
  }

  private merge(userId: string): void {
    this.onlineUsers.set(userId, this.others.latest(userId, this.own.get(userId)));
  }

  /** Renews the lease, and finds instances whose lease has expired. */
  private async renew(): Promise<void> {
    if (this.isStale || !(await this.keys.renewLease())) await this.writeAll();
    await this.keys.renewEntries(Map.groupBy(this.own.values(), ({ gymId }) => gymId).keys());
    for (const instanceId of this.others.ids) {
      if (!(await this.keys.isAlive(instanceId))) this.others.lose(instanceId);
      else if (this.others.isLost(instanceId))
        for (const gymId of this.gyms.ids) await this.loadInstance(gymId, instanceId);
    }
    this.gyms.tend();
  }

  private async writeAll(): Promise<void> {
    this.isStale = false;
    try {
      await this.keys.beginLease();
      await this.keys.writeAll(Map.groupBy(this.own.values(), ({ gymId }) => gymId));
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  private async load(gymId: string): Promise<void> {
    for (const instanceId of await this.keys.instancesIn(gymId))
      if (instanceId !== this.instanceId) await this.loadInstance(gymId, instanceId);
  }

  private async loadInstance(gymId: string, instanceId: string): Promise<void> {
    if (!(await this.keys.isAlive(instanceId))) {
      if (!this.others.has(instanceId)) await this.keys.removeFrom(gymId, instanceId);
      return;
    }
    const entries = await this.others.load(gymId, instanceId, () => this.keys.entries(gymId, instanceId));
    for (const entry of entries) this.adopt(entry.userId, entry);
  }
}

const isLater = (one: OnlineEntry, other: OnlineEntry): boolean =>
  laterOf(one, other) === one && one !== other;
