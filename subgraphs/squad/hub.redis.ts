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
import { OwnEntries } from './presence/own-entries.redis.ts';
import { RedisConnectionTimes } from './squads/connection-times.redis.ts';
import type { Journals } from './storage/journal.ts';
import { RENEWAL_MILLIS } from './storage/instance-lease.ts';
import type { RedisConnections } from './storage/redis-connections.ts';

/**
 * The maximum number of withdrawals that wait for Redis. The other instances remove the entry of any further user when the
 * user's connections there end.
 */
const MAX_UNSENT = 10_000;

/**
 * The hub of any number of instances. Each instance stores the entries of its own connections in Redis, in a hash for each
 * gym, and publishes every change in the gym's channel. It has a copy of the entries of the gyms that it follows: those of
 * its own connections and listeners, and those that a request has read in the last minute. If several instances have an
 * entry of a user, the latest entry counts. If Redis is unreachable, each instance continues with the entries that it has;
 * if Redis has lost data, each instance writes its own entries again.
 */
export class RedisHub implements Hub {
  readonly journals: Journals;
  readonly connectionTimes: RedisConnectionTimes;
  private readonly instanceId = randomUUID();
  private readonly redis: RedisConnections;
  private readonly log: Logger;
  private readonly keys: PresenceKeys;
  private readonly onlineUsers = new OnlineMap();
  private readonly openConnections: Connections;
  private readonly own: OwnEntries;
  private readonly others: OtherInstances;
  private readonly gyms: FollowedGyms;
  /** The number of connections and listeners of this instance in each gym. */
  private readonly needs = new Map<string, number>();
  /** Users who were withdrawn here while the others could not be notified. */
  private readonly unsentWithdrawals = new Set<string>();
  private isFollowingWithdrawals = false;
  private renewing: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;
  /** Whether to renew again after the running renewal, which began before Redis answered again. */
  private isRenewalDue = false;
  private isDisposed = false;

  private constructor(settings: HubSettings, journals: Journals, redis: RedisConnections, log: Logger) {
    this.redis = redis;
    this.log = log;
    this.journals = journals;
    this.keys = new PresenceKeys(redis, this.instanceId);
    this.own = new OwnEntries(this.keys);
    this.connectionTimes = new RedisConnectionTimes(redis, this.instanceId, log);
    this.openConnections = new Connections(settings.graceMillis, (userId, gymId) =>
      this.leave(userId, gymId),
    );
    this.others = new OtherInstances({
      graceMillis: settings.graceMillis,
      onLost: (instanceId) => log.warn({ instanceId }, 'an instance of the squad service is gone'),
      onChange: (userId) => this.merge(userId),
    });
    this.gyms = new FollowedGyms({
      subscribe: (gymId) => this.keys.subscribe(gymId, (message) => this.onMessage(gymId, message)),
      load: (gymId) => this.load(gymId),
      isNeeded: (gymId) => this.needs.has(gymId) || this.own.hasGym(gymId),
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
    await hub.renew();
    hub.renewing = setInterval(() => void hub.renew(), RENEWAL_MILLIS);
    hub.renewing.unref();
    redis.onRecovered(() => hub.renewAgain());
    redis.onReady(() => {
      hub.own.lose();
      hub.gyms.reload();
      hub.renewAgain();
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
    this.openConnections.touch(userId, gymId);
    return entry;
  }

  withdraw(userId: string): void {
    this.onWithdrawn(userId);
    void this.publishWithdrawal(userId);
  }

  connect(userId: string, gymId: string | null): () => void {
    const known = this.onlineUsers.get(userId);
    if (known?.gymId === gymId) {
      // With an entry of this instance, the user stays online after they have lost their connections to other instances.
      if (!this.own.get(userId)) this.setOwn(userId, known);
    } else if (known && this.own.get(userId) && !this.openConnections.has(userId, known.gymId)) {
      // A member who connects in another gym, and has no connection left in the gym of their entry, has changed their gym.
      this.setOwn(userId, undefined);
    }
    const ends = [
      this.openConnections.open(userId, gymId ?? ''),
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
      const [count] = await this.redis.run(key, (client) =>
        Promise.all([client.incr(key), client.expire(key, 60)]),
      );
      return count <= limit;
    } catch {
      return true; // without Redis nothing is counted, and nothing is refused
    }
  }

  get connections(): number {
    return this.openConnections.size;
  }

  losses(): Record<string, string> {
    return this.redis.isLost
      ? {
          presence: 'members at other replicas are shown as they were last known',
          changes: 'members are notified of changes at other replicas within 15 s',
          limits: 'messages and invites are not counted',
        }
      : {};
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    clearInterval(this.renewing);
    this.openConnections.dispose();
    this.connectionTimes.dispose();
    this.others.dispose();
    await this.journals.close();
    // The other instances keep this instance's users online for the grace period, in which the users connect to them.
    await this.renewal;
    this.own.dispose();
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
    this.own.set(userId, entry);
    this.merge(userId);
  }

  private leave(userId: string, gymId: string): void {
    if (this.own.get(userId)?.gymId === gymId) this.setOwn(userId, undefined);
  }

  private onWithdrawn(userId: string): void {
    this.others.remove(userId);
    if (this.own.get(userId)) this.setOwn(userId, undefined);
    else this.merge(userId);
  }

  private async publishWithdrawal(userId: string): Promise<void> {
    try {
      await this.redis.publish(WITHDRAWALS, userId);
    } catch {
      if (this.unsentWithdrawals.size < MAX_UNSENT) this.unsentWithdrawals.add(userId);
    }
  }

  private onMessage(gymId: string, message: PresenceMessage): void {
    const { from } = message;
    if ('moved' in message) return this.onMoved(message.moved);
    if ('hello' in message)
      return void this.loadInstance(gymId, from).catch(() => this.gyms.reloadGym(gymId));
    for (const entry of message.entries) {
      this.others.set(gymId, from, entry.userId, entry);
      this.adopt(entry);
      this.merge(entry.userId);
    }
    for (const userId of message.removed) {
      this.others.set(gymId, from, userId, undefined);
      this.merge(userId);
    }
  }

  /**
   * The user has announced their presence in another gym. The message comes in the channel of the old gym, because this
   * instance may not follow the new gym.
   */
  private onMoved(entry: OnlineEntry): void {
    const mine = this.own.get(entry.userId);
    if (mine && mine.gymId !== entry.gymId && isLater(entry, mine)) this.setOwn(entry.userId, undefined);
  }

  /**
   * To be called with an entry of another instance. If it is later than this instance's own entry of the user, and they are
   * online here in the same gym, this instance makes it its own: the other instance removes it after the grace period if only a
   * request has announced it there. If it is later and of a gym in which the user is not connected here, they have left the gym
   * of the own entry, which is then removed.
   */
  private adopt(entry: OnlineEntry): void {
    const { userId } = entry;
    const mine = this.own.get(userId);
    if (mine && !isLater(entry, mine)) return;
    // This publishes the entry, so that the other instances do not return to this instance's older entry when the instance at
    // which it was announced removes it.
    if (mine?.gymId === entry.gymId || this.openConnections.has(userId, entry.gymId))
      this.setOwn(userId, entry);
    else if (mine) this.setOwn(userId, undefined);
  }

  private merge(userId: string): void {
    this.onlineUsers.set(userId, this.others.latest(userId, this.own.get(userId)));
  }

  private renewAgain(): void {
    if (this.renewal) this.isRenewalDue = true;
    else void this.renew();
  }

  /** Never rejects. A second call waits for the first one. */
  private renew(): Promise<void> {
    this.renewal ??= this.renewOnce()
      .catch((error: unknown) => {
        if (!isRedisLost(error)) this.log.warn({ err: error }, 'presence is not shared now');
      })
      .finally(() => {
        this.renewal = undefined;
        if (this.isRenewalDue && !this.isDisposed) void this.renew();
        this.isRenewalDue = false;
      });
    return this.renewal;
  }

  /** Renews the lease, sends what could not be sent before, and finds instances whose lease has expired. */
  private async renewOnce(): Promise<void> {
    if (!this.isFollowingWithdrawals) {
      await this.redis.subscribe(WITHDRAWALS, (userId) => this.onWithdrawn(userId));
      this.isFollowingWithdrawals = true;
    }
    await this.own.renew();
    const withdrawn = [...this.unsentWithdrawals];
    this.unsentWithdrawals.clear();
    await Promise.all(withdrawn.map((userId) => this.publishWithdrawal(userId)));
    for (const instanceId of this.others.ids) {
      if (!(await this.keys.isAlive(instanceId))) this.others.lose(instanceId);
      else if (this.others.isLost(instanceId))
        for (const gymId of this.others.gymIdsOf(instanceId)) await this.loadInstance(gymId, instanceId);
    }
    this.gyms.tend();
  }

  private async load(gymId: string): Promise<void> {
    const instanceIds = new Set(await this.keys.instancesIn(gymId));
    // An instance that is no longer in the list has no entries in Redis: reading it removes those that are known here.
    for (const instanceId of this.others.idsIn(gymId)) instanceIds.add(instanceId);
    instanceIds.delete(this.instanceId);
    // If one cannot be read, the others still end before the caller continues.
    const loads = await Promise.allSettled(
      [...instanceIds].map((instanceId) => this.loadInstance(gymId, instanceId)),
    );
    const failed = loads.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  private async loadInstance(gymId: string, instanceId: string): Promise<void> {
    if (!(await this.keys.isAlive(instanceId))) {
      if (!this.others.has(instanceId)) await this.keys.removeFrom(gymId, instanceId);
      return;
    }
    const entries = await this.others.load(gymId, instanceId, () => this.keys.entries(gymId, instanceId));
    for (const entry of entries) this.adopt(entry);
  }
}

const isLater = (one: OnlineEntry, other: OnlineEntry): boolean =>
  laterOf(one, other) === one && one !== other;
