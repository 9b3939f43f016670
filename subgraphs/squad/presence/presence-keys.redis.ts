import { LEASE_MILLIS } from '../storage/instance-lease.ts';
import type { RedisConnections } from '../storage/redis-connections.ts';
import type { OnlineEntry } from './online-entry.ts';

/** The channel of `Hub.withdraw`: a message is the id of a user whose entry every instance must remove. */
export const WITHDRAWALS = 'squad:presence:withdrawn';

/** A message in the channel of a gym. */
export type PresenceMessage =
  | { from: string; userId: string; entry: OnlineEntry | null }
  /** The user has gone online in another gym, where this is their new entry. */
  | { from: string; moved: OnlineEntry }
  /** The instance has written all its entries of the gym again. */
  | { from: string; hello: true };

/** The entries of an instance that no longer renews them are removed after this time. */
const ENTRIES_MILLIS = 60_000; // 1 min
const ENTRIES_RENEWED_AFTER_MILLIS = 20_000; // 20 s
/** Longer than any connection without a new announcement. */
const GYM_OF_USER_SECONDS = 7 * 24 * 60 * 60; // 7 days

/**
 * The keys of presence in Redis, as one instance uses them:
 *
 *     squad:instance:<instance>               exists while the instance is alive
 *     squad:presence:{<gym>}                  the instances that have entries of the gym; also the name of its channel
 *     squad:presence:{<gym>}:<instance>       its entries, by user
 *     squad:presence:gym-of:{<user>}          the gym in which the user has announced their presence last
 *
 * All keys of a gym have the same hash tag, so that one command may use several of them in a Redis Cluster.
 */
export class PresenceKeys {
  private readonly redis: RedisConnections;
  private readonly instanceId: string;
  private entriesRenewedAt = 0;

  constructor(redis: RedisConnections, instanceId: string) {
    this.redis = redis;
    this.instanceId = instanceId;
  }

  subscribe(gymId: string, listener: (message: PresenceMessage) => void): Promise<() => void> {
    return this.redis.subscribe(gymKey(gymId), (text) => listener(JSON.parse(text) as PresenceMessage));
  }

  async set(gymId: string, userId: string, entry: OnlineEntry | null): Promise<void> {
    const key = entriesKey(gymId, this.instanceId);
    const message: PresenceMessage = { from: this.instanceId, userId, entry };
    await this.redis.write((client) => {
      const multi = client.multi();
      const changed = entry
        ? multi.hSet(key, userId, JSON.stringify(entry)).sAdd(gymKey(gymId), this.instanceId)
        : multi.hDel(key, userId);
      return changed
        .pExpire(key, ENTRIES_MILLIS)
        .pExpire(gymKey(gymId), ENTRIES_MILLIS)
        .publish(gymKey(gymId), JSON.stringify(message))
        .exec();
    });
  }

  /** Remembers the gym of the entry, and notifies the instances of the gym in which the user was before. */
  async moveTo(entry: OnlineEntry): Promise<void> {
    const before = await this.redis.write((client) =>
      client.set(gymOfKey(entry.userId), entry.gymId, { EX: GYM_OF_USER_SECONDS, GET: true }),
    );
    if (!before || before === entry.gymId) return;
    const message: PresenceMessage = { from: this.instanceId, moved: entry };
    await this.redis.write((client) => client.publish(gymKey(before), JSON.stringify(message)));
  }

  /** The gym in which the user has announced their presence last; they may be offline now. */
  async gymOf(userId: string): Promise<string | undefined> {
    return (await this.redis.read((client) => client.get(gymOfKey(userId)))) ?? undefined;
  }

  instancesIn(gymId: string): Promise<string[]> {
    return this.redis.read((client) => client.sMembers(gymKey(gymId)));
  }

  async entries(gymId: string, instanceId: string): Promise<OnlineEntry[]> {
    const fields = await this.redis.read((client) => client.hGetAll(entriesKey(gymId, instanceId)));
    return Object.values(fields).map((text) => JSON.parse(text) as OnlineEntry);
  }

  /** Removes the entries of an instance that no longer runs from the gym. */
  async removeFrom(gymId: string, instanceId: string): Promise<void> {
    await this.redis.write((client) =>
      client.multi().del(entriesKey(gymId, instanceId)).sRem(gymKey(gymId), instanceId).exec(),
    );
  }

  async isAlive(instanceId: string): Promise<boolean> {
    return (await this.redis.read((client) => client.exists(leaseKey(instanceId)))) > 0;
  }

  async beginLease(): Promise<void> {
    await this.redis.write((client) => client.set(leaseKey(this.instanceId), '1', { PX: LEASE_MILLIS }));
  }

  /** False if Redis has lost the lease, and perhaps everything else. */
  async renewLease(): Promise<boolean> {
    return (await this.redis.read((client) => client.pExpire(leaseKey(this.instanceId), LEASE_MILLIS))) > 0;
  }

  async endLease(): Promise<void> {
    await this.redis.read((client) => client.del(leaseKey(this.instanceId)));
  }

  /** Writes the entries of this instance in each of these gyms, and notifies the other instances. */
  async writeAll(entries: ReadonlyMap<string, readonly OnlineEntry[]>): Promise<void> {
    for (const [gymId, inGym] of entries) {
      const key = entriesKey(gymId, this.instanceId);
      const fields = Object.fromEntries(inGym.map((entry) => [entry.userId, JSON.stringify(entry)]));
      const message: PresenceMessage = { from: this.instanceId, hello: true };
      await this.redis.write((client) =>
        client
          .multi()
          .del(key)
          .hSet(key, fields)
          .pExpire(key, ENTRIES_MILLIS)
          .sAdd(gymKey(gymId), this.instanceId)
          .pExpire(gymKey(gymId), ENTRIES_MILLIS)
          .publish(gymKey(gymId), JSON.stringify(message))
          .exec(),
      );
      for (const { userId } of inGym)
        await this.redis.write((client) => client.set(gymOfKey(userId), gymId, { EX: GYM_OF_USER_SECONDS }));
    }
    this.entriesRenewedAt = Date.now();
  }

  async renewEntries(gymIds: Iterable<string>): Promise<void> {
    if (Date.now() - this.entriesRenewedAt < ENTRIES_RENEWED_AFTER_MILLIS) return;
    this.entriesRenewedAt = Date.now();
    for (const gymId of gymIds)
      await this.redis.write((client) =>
        client
          .multi()
          .pExpire(entriesKey(gymId, this.instanceId), ENTRIES_MILLIS)
          .pExpire(gymKey(gymId), ENTRIES_MILLIS)
          .exec(),
      );
  }
}

const gymKey = (gymId: string): string => `squad:presence:{${gymId}}`;
const entriesKey = (gymId: string, instanceId: string): string => `${gymKey(gymId)}:${instanceId}`;
const leaseKey = (instanceId: string): string => `squad:instance:${instanceId}`;
const gymOfKey = (userId: string): string => `squad:presence:gym-of:{${userId}}`;
