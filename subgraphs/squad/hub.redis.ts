import { randomUUID } from 'node:crypto';
import type { Logger } from '#server/observability/logger.ts';
import { isRedisLost } from '#server/redis/redis-connection.ts';
import type { Hub, HubSettings, OnlineEntry } from './hub.ts';
import { Connections } from './presence/connections.ts';
import { entryAfter, laterOf, type PresenceAnnouncement } from './presence/online-entry.ts';
import { OnlineMap } from './presence/online-map.ts';
import { RedisConnectionTimes } from './squads/connection-times.redis.ts';
import type { Journals } from './storage/journal.ts';
import { ALIVE_FIELD, LEASE_MILLIS, RENEWAL_MILLIS } from './storage/instance-lease.ts';
import type { RedisConnections } from './storage/redis-connections.ts';

const INSTANCES = 'squad:instances';
const CHANNEL = 'squad:presence';

/** A message of one instance to the others. */
type Message =
  | { from: string; userId: string; entry: OnlineEntry | null }
  /** The user is offline at every instance. */
  | { from: string; withdrawn: string }
  /** The whole hash of the instance was written again. */
  | { from: string; hello: true };

/**
 * The hub of any number of instances. Each instance stores the entries of its own connections in a Redis hash, publishes
 * every change to the other instances, and has a copy of their entries. If several instances have an entry of a user, the
 * latest entry counts. If Redis is unreachable, each instance continues with the entries that it has; if Redis has lost
 * data, each instance writes its own entries again.
 */
export class RedisHub implements Hub {
  readonly journals: Journals;
  readonly connectionTimes: RedisConnectionTimes;
  private readonly instanceId = randomUUID();
  private readonly redis: RedisConnections;
  private readonly log: Logger;
  private readonly graceMillis: number;
  private readonly onlineUsers = new OnlineMap();
  private readonly open: Connections;
  private readonly own = new Map<string, OnlineEntry>();
  private readonly others = new Map<string, Map<string, OnlineEntry>>();
  private readonly graces = new Map<string, NodeJS.Timeout>();
  /** Whether the hash lacks a change of this instance, so that the next renewal has to write the whole hash. */
  private isStale = true;
  private renewing: NodeJS.Timeout | undefined;

  private constructor(settings: HubSettings, journals: Journals, redis: RedisConnections, log: Logger) {
    this.graceMillis = settings.graceMillis;
    this.redis = redis;
    this.log = log;
    this.journals = journals;
    this.connectionTimes = new RedisConnectionTimes(redis, this.instanceId, log);
    this.open = new Connections(settings.graceMillis, (userId, gymId) => this.leave(userId, gymId));
  }

  static async start(
    settings: HubSettings,
    journals: Journals,
    redis: RedisConnections,
    log: Logger,
  ): Promise<RedisHub> {
    const hub = new RedisHub(settings, journals, redis, log);
    await redis.subscribe(CHANNEL, (text) => hub.onMessage(JSON.parse(text) as Message));
    await hub.renew();
    const renewAgain = () =>
      void hub.renew().catch((error: unknown) => {
        if (!isRedisLost(error)) log.warn({ err: error }, 'presence is not shared now');
      });
    hub.renewing = setInterval(renewAgain, RENEWAL_MILLIS);
    hub.renewing.unref();
    redis.onReady(renewAgain);
    return hub;
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
    this.remove(userId);
    const message: Message = { from: this.instanceId, withdrawn: userId };
    void this.redis
      .write((client) => client.publish(CHANNEL, JSON.stringify(message)))
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
      // The user then stays online at this instance after their connections to the other one have ended.
      if (!this.own.has(userId)) this.setOwn(userId, known);
    } else if (known && this.own.has(userId) && !this.open.has(userId, known.gymId)) {
      // A member who connects in another gym, and has no connection in that of their entry, has changed their gym.
      this.setOwn(userId, undefined);
    }
    const ends = [this.open.open(userId, gymId ?? ''), this.connectionTimes.open(userId)];
    return () => ends.forEach((end) => end());
  }

  watchGym(gymId: string, listener: (userId: string) => void): () => void {
    return this.onlineUsers.watch(gymId, listener);
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
    for (const timer of this.graces.values()) clearTimeout(timer);
    await this.journals.close();
    // The other instances keep this instance's users online for the grace, during which the users connect again.
    await this.redis
      .read((client) =>
        client.multi().del(this.keyOf(this.instanceId)).sRem(INSTANCES, this.instanceId).exec(),
      )
      .catch(() => undefined);
    this.redis.close();
  }

  private setOwn(userId: string, entry: OnlineEntry | undefined): void {
    if (entry) this.own.set(userId, entry);
    else this.own.delete(userId);
    this.merge(userId);
    const key = this.keyOf(this.instanceId);
    const message: Message = { from: this.instanceId, userId, entry: entry ?? null };
    void this.redis
      .write((client) => {
        const multi = client.multi();
        return (entry ? multi.hSet(key, userId, JSON.stringify(entry)) : multi.hDel(key, userId))
          .publish(CHANNEL, JSON.stringify(message))
          .exec();
      })
      .catch(() => (this.isStale = true));
  }

  private leave(userId: string, gymId: string): void {
    if (this.own.get(userId)?.gymId === gymId) this.setOwn(userId, undefined);
  }

  private remove(userId: string): void {
    for (const theirs of this.others.values()) theirs.delete(userId);
    this.setOwn(userId, undefined);
  }

  private onMessage(message: Message): void {
    const { from } = message;
    if (from === this.instanceId) return;
    if ('withdrawn' in message) return this.remove(message.withdrawn);
    const theirs = this.others.get(from);
    if ('hello' in message || !theirs) return void this.load(from).catch(() => undefined);
    const { userId, entry } = message;
    if (entry) theirs.set(userId, entry);
    else theirs.delete(userId);
    this.adopt(userId, entry);
    this.merge(userId);
  }

  /**
   * Makes the latest entry of a user this instance's own, if the user is connected here. A request to another instance may
   * have announced it, and that instance removes its entry after the grace. An entry of another gym replaces nothing here:
   * the connections of this instance are of the gym that the user has left.
   */
  private adopt(userId: string, entry: OnlineEntry | null): void {
    const mine = this.own.get(userId);
    if (!entry || (mine && laterOf(mine, entry) === mine)) return;
    // This publishes the entry, so that the others do not return to an older one when its first instance removes it.
    if (mine?.gymId === entry.gymId || this.open.has(userId, entry.gymId)) this.setOwn(userId, entry);
    else if (mine) this.setOwn(userId, undefined);
  }

  private merge(userId: string): void {
    const entries = [
      this.own.get(userId),
      ...[...this.others.values()].map((theirs) => theirs.get(userId)),
    ].filter((entry) => entry !== undefined);
    this.onlineUsers.set(userId, entries.length === 0 ? undefined : entries.reduce(laterOf));
  }

  private async renew(): Promise<void> {
    const key = this.keyOf(this.instanceId);
    if (this.isStale || !(await this.redis.read((client) => client.pExpire(key, LEASE_MILLIS)))) {
      this.isStale = false;
      const fields = Object.fromEntries(
        [...this.own].map(([userId, entry]) => [userId, JSON.stringify(entry)]),
      );
      try {
        await this.redis.write((client) =>
          client
            .multi()
            .del(key)
            .hSet(key, { ...fields, [ALIVE_FIELD]: '1' })
            .pExpire(key, LEASE_MILLIS)
            .sAdd(INSTANCES, this.instanceId)
            .publish(CHANNEL, JSON.stringify({ from: this.instanceId, hello: true } satisfies Message))
            .exec(),
        );
      } catch (error) {
        this.isStale = true;
        throw error;
      }
    }
    const named = await this.redis.read((client) => client.sMembers(INSTANCES));
    for (const instanceId of new Set([...named, ...this.others.keys()])) {
      if (instanceId === this.instanceId) continue;
      if (await this.redis.read((client) => client.exists(this.keyOf(instanceId)))) {
        if (!this.others.has(instanceId) || this.graces.has(instanceId)) await this.load(instanceId);
      } else {
        this.lose(instanceId);
        await this.redis.read((client) => client.sRem(INSTANCES, instanceId));
      }
    }
  }

  private async load(instanceId: string): Promise<void> {
    const fields = await this.redis.read((client) => client.hGetAll(this.keyOf(instanceId)));
    if (!fields[ALIVE_FIELD]) return;
    clearTimeout(this.graces.get(instanceId));
    this.graces.delete(instanceId);
    const before = this.others.get(instanceId) ?? new Map<string, OnlineEntry>();
    const now = new Map(
      Object.entries(fields).flatMap(([userId, text]) =>
        userId === ALIVE_FIELD ? [] : [[userId, JSON.parse(text) as OnlineEntry] as const],
      ),
    );
    this.others.set(instanceId, now);
    for (const [userId, entry] of now) this.adopt(userId, entry);
    for (const userId of new Set([...before.keys(), ...now.keys()])) this.merge(userId);
  }

  /** To be called when an instance's lease has expired. Its users stay online for the grace, to connect to another. */
  private lose(instanceId: string): void {
    if (!this.others.has(instanceId) || this.graces.has(instanceId)) return;
    this.log.warn({ instanceId }, 'an instance of the squad service is gone');
    const timer = setTimeout(() => {
      this.graces.delete(instanceId);
      const theirs = this.others.get(instanceId);
      this.others.delete(instanceId);
      for (const userId of theirs?.keys() ?? []) this.merge(userId);
    }, this.graceMillis);
    timer.unref();
    this.graces.set(instanceId, timer);
  }

  private keyOf(instanceId: string): string {
    return `squad:presence:${instanceId}`;
  }
}
