import { randomUUID } from 'node:crypto';
import type { Logger } from '#server/observability/logger.ts';
import { isRedisLost } from '#server/redis/redis-connection.ts';
import type { Hub, HubSettings, OnlineEntry } from './hub.ts';
import { Connections } from './presence/connections.ts';
import { entryAfter, laterOf, type PresenceAnnouncement } from './presence/online-entry.ts';
import { OnlineMap } from './presence/online-map.ts';
import { RedisConnectionTimes } from './squads/connection-times.redis.ts';
import type { Journals } from './storage/journal.ts';
import { RedisJournals } from './storage/journal.redis.ts';
import type { RedisConnections } from './storage/redis-connections.ts';

const INSTANCES = 'squad:instances';
const CHANNEL = 'squad:presence';
/** An instance says so often that it lives, and counts as dead after the lease. */
const BEAT_MILLIS = 2_000;
const LEASE_MILLIS = 8_000;
/** A hash without fields is none; this one says that its instance lives. */
const ALIVE = '_';

type Told =
  | { from: string; userId: string; entry: OnlineEntry | null }
  /** The user is offline whatever any instance knows. */
  | { from: string; withdrawn: string }
  | { from: string; hello: true };

/**
 * The hub of any number of instances. Each keeps the entries of its own connections in a hash of its own, tells the
 * others of every change, and holds a copy of theirs; what is known of a user is the latest word of any of them.
 * Where Redis is away each goes on with what it knows; what was lost with it is written anew by who has it.
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
  /** Something of our own was not told: the next beat tells everything. */
  private isStale = true;
  private beating: NodeJS.Timeout | undefined;

  private constructor(settings: HubSettings, redis: RedisConnections, log: Logger) {
    this.graceMillis = settings.graceMillis;
    this.redis = redis;
    this.log = log;
    this.journals = new RedisJournals(redis, log);
    this.connectionTimes = new RedisConnectionTimes(redis, this.instanceId, log);
    this.open = new Connections(settings.graceMillis, (userId, gymId) => this.leave(userId, gymId));
  }

  static async start(settings: HubSettings, redis: RedisConnections, log: Logger): Promise<RedisHub> {
    const hub = new RedisHub(settings, redis, log);
    await redis.subscribe(CHANNEL, (message) => hub.hear(JSON.parse(message) as Told));
    await hub.beat();
    const beatAgain = () =>
      void hub.beat().catch((error: unknown) => {
        if (!isRedisLost(error)) log.warn({ err: error }, 'presence is not shared now');
      });
    hub.beating = setInterval(beatAgain, BEAT_MILLIS);
    hub.beating.unref();
    redis.onReady(beatAgain);
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
    this.forget(userId);
    const told: Told = { from: this.instanceId, withdrawn: userId };
    void this.redis
      .write((client) => client.publish(CHANNEL, JSON.stringify(told)))
      .catch((error: unknown) =>
        this.log.warn({ reason: (error as Error).message }, 'the others were not told who is gone'),
      );
  }

  connect(userId: string, gymId: string | null): () => void {
    const known = this.onlineUsers.get(userId);
    if (known?.gymId === gymId) {
      // A connection here keeps the user online here, too, once the other instance's are gone.
      if (!this.own.has(userId)) this.setOwn(userId, known);
    } else if (known && this.own.has(userId) && !this.open.has(userId, known.gymId)) {
      // A member who connects from another gym, and not any more from the one of their entry, has moved.
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
      return true; // uncounted rather than refused
    }
  }

  get connections(): number {
    return this.open.size;
  }

  async check(): Promise<void> {
    await this.redis.read((client) => client.ping());
  }

  async dispose(): Promise<void> {
    clearInterval(this.beating);
    this.open.dispose();
    this.connectionTimes.dispose();
    for (const timer of this.graces.values()) clearTimeout(timer);
    await this.journals.close();
    // The others give its people the grace, in which they come back to them.
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
    const told: Told = { from: this.instanceId, userId, entry: entry ?? null };
    void this.redis
      .write((client) => {
        const multi = client.multi();
        return (entry ? multi.hSet(key, userId, JSON.stringify(entry)) : multi.hDel(key, userId))
          .publish(CHANNEL, JSON.stringify(told))
          .exec();
      })
      .catch(() => (this.isStale = true));
  }

  private leave(userId: string, gymId: string): void {
    if (this.own.get(userId)?.gymId === gymId) this.setOwn(userId, undefined);
  }

  private forget(userId: string): void {
    for (const theirs of this.others.values()) theirs.delete(userId);
    this.setOwn(userId, undefined);
  }

  private hear(told: Told): void {
    if (told.from === this.instanceId) return;
    if ('withdrawn' in told) return this.forget(told.withdrawn);
    if ('hello' in told) return void this.load(told.from).catch(() => undefined);
    const theirs = this.others.get(told.from);
    if (!theirs) return void this.load(told.from).catch(() => undefined);
    if (told.entry) theirs.set(told.userId, told.entry);
    else theirs.delete(told.userId);
    this.adopt(told.userId, told.entry);
    this.merge(told.userId);
  }

  /**
   * The latest entry of a user holds for their connections here as well, and outlives the instance that it came from:
   * they may be connected here, and announce themselves by a request to another instance. If it is of another gym, this
   * instance has no part in it: its connections are of the gym that the user has left.
   */
  private adopt(userId: string, entry: OnlineEntry | null): void {
    const mine = this.own.get(userId);
    if (!entry || (mine && laterOf(mine, entry) === mine)) return;
    // Published, too: the others must not go back to the older one when the instance that it came from takes it away.
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

  private async beat(): Promise<void> {
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
            .hSet(key, { ...fields, [ALIVE]: '1' })
            .pExpire(key, LEASE_MILLIS)
            .sAdd(INSTANCES, this.instanceId)
            .publish(CHANNEL, JSON.stringify({ from: this.instanceId, hello: true } satisfies Told))
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
    if (!fields[ALIVE]) return;
    clearTimeout(this.graces.get(instanceId));
    this.graces.delete(instanceId);
    const before = this.others.get(instanceId) ?? new Map<string, OnlineEntry>();
    const now = new Map(
      Object.entries(fields).flatMap(([userId, text]) =>
        userId === ALIVE ? [] : [[userId, JSON.parse(text) as OnlineEntry] as const],
      ),
    );
    this.others.set(instanceId, now);
    for (const [userId, entry] of now) this.adopt(userId, entry);
    for (const userId of new Set([...before.keys(), ...now.keys()])) this.merge(userId);
  }

  /** An instance is gone: its people have the grace to come back to another. */
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
