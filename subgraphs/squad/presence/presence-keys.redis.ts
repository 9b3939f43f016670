import { LEASE_MILLIS } from '../storage/instance-lease.ts';
import type { RedisConnections } from '../storage/redis-connections.ts';
import type { OnlineEntry } from './online-entry.ts';

/** The channel of `Hub.withdraw`: a message is the id of a user whose entry every instance must remove. */
export const WITHDRAWALS = 'squad:presence:withdrawn';

/** A message in the channel of a gym. */
export type PresenceMessage =
  /** New entries, and the ids of users whose entries were removed. */
  | { from: string; entries: OnlineEntry[]; removed: string[] }
  /** The user has gone online in another gym, where this is their new entry. */
  | { from: string; moved: OnlineEntry }
  /** The instance has written all its entries of the gym again. */
  | { from: string; hello: true };

/** The changed entries of one gym, by user; undefined: the entry was removed. */
export type GymChanges = ReadonlyMap<string, OnlineEntry | undefined>;

/** The entries of an instance that no longer renews them are removed after this time. */
const ENTRIES_MILLIS = 60_000; // 1 min
const ENTRIES_RENEWED_AFTER_MILLIS = 20_000; // 20 s
/** Longer than connections are expected to stay open: the key is written when a user comes online in a gym at an instance. */
const GYM_OF_USER_SECONDS = 7 * 24 * 60 * 60; // 7 days
/** How long an instance counts as alive without asking Redis again. */
const ALIVE_MILLIS = 1_000; // 1 s
/** The maximum number of gyms, or of users, whose commands are sent together. */
const BATCH = 100;

/**
 * The keys of presence in Redis, as one instance uses them:
 *
 *     squad:instance:<instance>               exists while the instance is alive
 *     squad:presence:{<gym>}                  the instances that have entries of the gym; also the name of its channel
 *     squad:presence:{<gym>}:<instance>       its entries, by user
 *     squad:presence:gym-of:{<user>}          the gym in which the user has announced their presence last
 *
 * All keys of a gym, and its channel, have the same hash tag, so that they are at the same node of a Redis Cluster.
 */
export class PresenceKeys {
  private readonly redis: RedisConnections;
  private readonly instanceId: string;
  /** How the messages of this instance begin. */
  private readonly ownStart: string;
  /** The gyms whose list contains this instance already, and whose keys have a time to live. */
  private readonly listed = new Set<string>();
  private readonly alive = new Map<string, { until: number; isAlive: Promise<boolean> }>();
  private entriesRenewedAt = Date.now();

  constructor(redis: RedisConnections, instanceId: string) {
    this.redis = redis;
    this.instanceId = instanceId;
    this.ownStart = `{"from":"${instanceId}"`;
  }

  /** The messages of other instances. */
  subscribe(gymId: string, listener: (message: PresenceMessage) => void): Promise<() => void> {
    return this.redis.subscribe(gymKey(gymId), (text) => {
      if (!text.startsWith(this.ownStart)) listener(JSON.parse(text) as PresenceMessage);
    });
  }

  /**
   * Writes and publishes the changes of several gyms. All commands are sent at once and in order, which needs no transaction:
   * an instance that reads the entries has subscribed before, and gets the message of a change that it did not read.
   *
   * @param isLast whether this instance has no entries of the gym afterwards
   * @returns the gyms whose changes could not be written
   */
  async write(
    changes: ReadonlyMap<string, GymChanges>,
    isLast: (gymId: string) => boolean,
  ): Promise<readonly string[]> {
    const failed: string[] = [];
    await Promise.all(
      this.batchesOf(changes.keys()).map(async (gymIds) => {
        try {
          await this.redis.runBulk(gymKey(gymIds[0]!), (client) =>
            Promise.all(
              gymIds.flatMap((gymId) => this.commandsFor(client, gymId, changes.get(gymId)!, isLast(gymId))),
            ),
          );
        } catch {
          failed.push(...gymIds);
        }
      }),
    );
    return failed;
  }

  /** Remembers the gym of the entry, and notifies the instances of the gym in which the user was before. */
  async moveTo(entry: OnlineEntry): Promise<void> {
    const key = gymOfKey(entry.userId);
    const before = await this.redis.run(key, (client) =>
      client.set(key, entry.gymId, { EX: GYM_OF_USER_SECONDS, GET: true }),
    );
    if (!before || before === entry.gymId) return;
    const message: PresenceMessage = { from: this.instanceId, moved: entry };
    await this.redis.publish(gymKey(before), JSON.stringify(message));
  }

  /** The gym in which the user has announced their presence last; they may be offline now. */
  async gymOf(userId: string): Promise<string | undefined> {
    const key = gymOfKey(userId);
    return (await this.redis.run(key, (client) => client.get(key))) ?? undefined;
  }

  instancesIn(gymId: string): Promise<string[]> {
    return this.redis.run(gymKey(gymId), (client) => client.sMembers(gymKey(gymId)));
  }

  async entries(gymId: string, instanceId: string): Promise<OnlineEntry[]> {
    const key = entriesKey(gymId, instanceId);
    const fields = await this.redis.runBulk(key, (client) => client.hGetAll(key));
    return Object.values(fields).map((text) => JSON.parse(text) as OnlineEntry);
  }

  /** Removes from the gym the entries of an instance that no longer runs. */
  async removeFrom(gymId: string, instanceId: string): Promise<void> {
    await this.redis.run(gymKey(gymId), (client) =>
      client.multi().del(entriesKey(gymId, instanceId)).sRem(gymKey(gymId), instanceId).exec(),
    );
  }

  /** The answer may be a second old, so that Redis is not asked again for each of the thousands of gyms of an instance. */
  async isAlive(instanceId: string): Promise<boolean> {
    const known = this.alive.get(instanceId);
    if (known && known.until > Date.now()) return known.isAlive;
    const key = leaseKey(instanceId);
    const isAlive = this.redis.run(key, async (client) => (await client.exists(key)) > 0);
    this.alive.set(instanceId, { until: Date.now() + ALIVE_MILLIS, isAlive });
    isAlive.then(
      (is) => is || this.alive.delete(instanceId),
      () => this.alive.delete(instanceId),
    );
    return isAlive;
  }

  async beginLease(): Promise<void> {
    const key = leaseKey(this.instanceId);
    await this.redis.run(key, (client) => client.set(key, '1', { PX: LEASE_MILLIS }));
  }

  /** Returns false if Redis has lost the lease, and perhaps all other keys. */
  async renewLease(): Promise<boolean> {
    const key = leaseKey(this.instanceId);
    return (await this.redis.run(key, (client) => client.pExpire(key, LEASE_MILLIS))) > 0;
  }

  async endLease(): Promise<void> {
    const key = leaseKey(this.instanceId);
    await this.redis.run(key, (client) => client.del(key));
  }

  /**
   * Writes all entries of this instance in each of these gyms again, and notifies the other instances.
   *
   * @param entriesIn called when the gym is written: reading all gyms first would write entries that have changed meanwhile
   */
  async writeAll(
    gymIds: Iterable<string>,
    entriesIn: (gymId: string) => readonly OnlineEntry[],
  ): Promise<void> {
    for (const some of this.batchesOf(gymIds)) {
      const written = some.map((gymId) => ({ gymId, entries: entriesIn(gymId) }));
      await this.redis.runBulk(gymKey(some[0]!), (client) =>
        Promise.all(written.map(({ gymId, entries }) => this.writeGym(client, gymId, entries))),
      );
      await this.writeGymOf(written.flatMap(({ entries }) => entries));
    }
  }

  private async writeGymOf(entries: readonly OnlineEntry[]): Promise<void> {
    const gymOf = new Map(entries.map(({ userId, gymId }) => [gymOfKey(userId), gymId]));
    for (const keys of this.batchesOf(gymOf.keys(), (key) => key))
      await this.redis.runBulk(keys[0]!, (client) =>
        Promise.all(keys.map((key) => client.set(key, gymOf.get(key)!, { EX: GYM_OF_USER_SECONDS }))),
      );
  }

  /**
   * Prevents the entries of this instance from expiring.
   *
   * @param onLost called with each gym of which Redis has lost entries of this instance, or that they exist
   */
  async renewEntries(onLost: (gymId: string) => void): Promise<void> {
    if (Date.now() - this.entriesRenewedAt < ENTRIES_RENEWED_AFTER_MILLIS) return;
    for (const gymIds of this.batchesOf(this.listed)) {
      const areKnown = await this.redis.runBulk(gymKey(gymIds[0]!), (client) =>
        Promise.all(gymIds.map((gymId) => this.renewGym(client, gymId))),
      );
      // A gym that is no longer in `listed` has lost its last entry meanwhile.
      for (const [at, gymId] of gymIds.entries()) if (!areKnown[at] && this.listed.has(gymId)) onLost(gymId);
    }
    this.entriesRenewedAt = Date.now();
  }

  /** Returns false if Redis has lost the entries, or some of them, or that this instance has entries of the gym. */
  private async renewGym(client: Commands, gymId: string): Promise<boolean> {
    const key = entriesKey(gymId, this.instanceId);
    // Only a write of all entries gives the hash a time to live. A hash without one was lost, and made again by a later change.
    const [timeToLive, , isNewInList] = await Promise.all([
      client.pTTL(key),
      client.pExpire(key, ENTRIES_MILLIS),
      client.sAdd(gymKey(gymId), this.instanceId),
      client.pExpire(gymKey(gymId), ENTRIES_MILLIS),
    ]);
    return timeToLive > 0 && isNewInList === 0;
  }

  private commandsFor(
    client: Commands,
    gymId: string,
    changes: GymChanges,
    isLast: boolean,
  ): Promise<unknown>[] {
    const key = entriesKey(gymId, this.instanceId);
    const fields: Record<string, string> = {};
    const isNew = !this.listed.has(gymId);
    const removed: string[] = [];
    for (const [userId, entry] of changes)
      if (entry) fields[userId] = JSON.stringify(entry);
      else removed.push(userId);
    const entries = Object.values(fields);
    const commands: Promise<unknown>[] = [];
    if (entries.length > 0) commands.push(client.hSet(key, fields));
    if (isLast) commands.push(client.del(key));
    else if (removed.length > 0) commands.push(client.hDel(key, removed));
    // These are all entries of a gym that had none before.
    if (isNew)
      commands.push(
        client.pExpire(key, ENTRIES_MILLIS),
        client.sAdd(gymKey(gymId), this.instanceId),
        client.pExpire(gymKey(gymId), ENTRIES_MILLIS),
      );
    // The next hash must get a time to live again.
    if (isLast) this.listed.delete(gymId);
    else this.listed.add(gymId);
    // The message is made of the texts that `hSet` gets, so that the entries are not serialised twice.
    const message = `${this.ownStart},"entries":[${entries.join()}],"removed":${JSON.stringify(removed)}}`;
    commands.push(client.publish(gymKey(gymId), message));
    return commands;
  }

  /** Replaces the entries in a transaction, so that no other instance reads the gym while they are missing. */
  private async writeGym(client: Commands, gymId: string, entries: readonly OnlineEntry[]): Promise<void> {
    const key = entriesKey(gymId, this.instanceId);
    const message: PresenceMessage = { from: this.instanceId, hello: true };
    if (entries.length > 0) {
      const fields = Object.fromEntries(entries.map((entry) => [entry.userId, JSON.stringify(entry)]));
      this.listed.add(gymId);
      await client
        .multi()
        .del(key)
        .hSet(key, fields)
        .pExpire(key, ENTRIES_MILLIS)
        .sAdd(gymKey(gymId), this.instanceId)
        .pExpire(gymKey(gymId), ENTRIES_MILLIS)
        .exec();
    } else {
      this.listed.delete(gymId);
      await client.del(key);
    }
    await client.publish(gymKey(gymId), JSON.stringify(message));
  }

  /** Groups gyms, or keys, whose commands can be sent together: those at one server. */
  private batchesOf(names: Iterable<string>, toKey: (name: string) => string = gymKey): string[][] {
    const byServer = Map.groupBy(names, (name) => this.redis.serverOf(toKey(name)));
    return [...byServer.values()].flatMap((all) =>
      Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) =>
        all.slice(at * BATCH, (at + 1) * BATCH),
      ),
    );
  }
}

type Commands = Parameters<Parameters<RedisConnections['run']>[1]>[0];

const gymKey = (gymId: string): string => `squad:presence:{${gymId}}`;
const entriesKey = (gymId: string, instanceId: string): string => `${gymKey(gymId)}:${instanceId}`;
const leaseKey = (instanceId: string): string => `squad:instance:${instanceId}`;
const gymOfKey = (userId: string): string => `squad:presence:gym-of:{${userId}}`;
