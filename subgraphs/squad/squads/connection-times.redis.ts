import type { Logger } from '#server/observability/logger.ts';
import type { RedisCommands } from '#server/redis/redis-servers.ts';
import { COMPLETE_FIELD, LEASE_MILLIS, RENEWAL_MILLIS } from '../storage/instance-lease.ts';
import type { RedisConnections } from '../storage/redis-connections.ts';
import {
  connectionTime,
  KEEPS_GONE_MILLIS,
  type ConnectionTime,
  type ConnectionTimes,
} from './connection-times.ts';

const INSTANCES = 'squad:connected';
/** When connections were last lost without a time, in milliseconds since 1970. */
const LOST_AT = 'squad:connections-lost-at';

/**
 * The connections of all instances. Each instance has a Redis hash: for each connected user, the time of the connection. When
 * the last connection of a user ends, its time is stored. If an instance crashes, or Redis loses data, this time is missing for
 * some users, so the time of the loss is stored for all.
 */
export class RedisConnectionTimes implements ConnectionTimes {
  private readonly redis: RedisConnections;
  private readonly instanceId: string;
  private readonly log: Logger;
  private readonly connected = new Map<string, { count: number; since: number }>();
  private readonly renewing: NodeJS.Timeout;
  /** Whether Redis may lack a connection of this instance, or the time of its end. */
  private isIncomplete = false;
  /** Whether this instance has written its hash before, so that a missing hash was lost. */
  private hasBegun = false;

  constructor(redis: RedisConnections, instanceId: string, log: Logger) {
    this.redis = redis;
    this.instanceId = instanceId;
    this.log = log;
    const renew = () =>
      void this.renew().catch((error: unknown) =>
        this.log.debug({ err: error }, 'the connections of this instance could not be shared'),
      );
    this.renewing = setInterval(renew, RENEWAL_MILLIS);
    this.renewing.unref();
    redis.onReady(() => {
      this.isIncomplete = true; // a failover may have lost the last writes
      renew();
    });
    renew();
  }

  open(userId: string): () => void {
    const known = this.connected.get(userId) ?? { count: 0, since: connectionTime() };
    known.count += 1;
    this.connected.set(userId, known);
    if (known.count === 1) {
      this.write(this.key, (client) =>
        client
          .multi()
          .hSet(this.key, userId, String(known.since))
          .pExpire(this.key, LEASE_MILLIS) // the hash may be a new one
          .exec(),
      );
      this.write(goneKey(userId), (client) => client.del(goneKey(userId)));
    }
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      known.count -= 1;
      if (known.count > 0) return;
      this.connected.delete(userId);
      this.write(goneKey(userId), (client) =>
        client.set(goneKey(userId), String(Date.now()), { PX: KEEPS_GONE_MILLIS }),
      );
      this.write(this.key, (client) => client.hDel(this.key, userId));
    };
  }

  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, ConnectionTime>> {
    if (userIds.length === 0) return new Map();
    const instanceIds = await this.redis.run(INSTANCES, (client) => client.sMembers(INSTANCES));
    // Each key may be at another server of a cluster.
    const [hashes, storedLoss, gone] = await Promise.all([
      Promise.all(
        instanceIds.map((instanceId) =>
          this.redis.run(keyOf(instanceId), (client) =>
            client.hmGet(keyOf(instanceId), [...userIds, COMPLETE_FIELD]),
          ),
        ),
      ),
      this.redis.run(LOST_AT, (client) => client.get(LOST_AT)),
      Promise.all(
        userIds.map((userId) => this.redis.run(goneKey(userId), (client) => client.get(goneKey(userId)))),
      ),
    ]);
    // Something is lost that no renewal has noticed yet.
    const isLostNow = !instanceIds.includes(this.instanceId) || hashes.some((hash) => !hash[userIds.length]);
    const lostAt = isLostNow ? Date.now() : Number(storedLoss ?? 0);
    return new Map(
      userIds.map((userId, index) => {
        const times = hashes.flatMap((hash) => (hash[index] ? [Number(hash[index])] : []));
        const connectedAt = times.length > 0 ? Math.min(...times) : null;
        const goneAt = Math.max(Number(gone[index] ?? 0), lostAt) || null;
        return [userId, { connectedAt, goneAt: connectedAt === null ? goneAt : null }];
      }),
    );
  }

  dispose(): void {
    clearInterval(this.renewing);
    // The list first: an instance in the list without a hash counts as crashed.
    this.write(INSTANCES, (client) => client.sRem(INSTANCES, this.instanceId));
    this.write(this.key, (client) => client.del(this.key));
  }

  /** Renews the lease. A hash that may be incomplete is written again as a whole. */
  private async renew(): Promise<void> {
    const [complete] = await this.redis.run(this.key, (client) =>
      Promise.all([client.hGet(this.key, COMPLETE_FIELD), client.pExpire(this.key, LEASE_MILLIS)]),
    );
    if (!complete || this.isIncomplete) {
      if (this.hasBegun) await this.noteLoss();
      await this.writeAll();
      this.hasBegun = true;
    }
    // This instance is added to the list even if its hash is complete: the list may have been lost, or another instance may have
    // removed this one while its hash was missing. The two keys may be at different nodes of a Redis Cluster, so there is no
    // transaction of both.
    await this.redis.run(INSTANCES, (client) => client.sAdd(INSTANCES, this.instanceId));
    await this.forgetOthers();
  }

  private async writeAll(): Promise<void> {
    this.isIncomplete = false;
    try {
      const fields = Object.fromEntries(
        [...this.connected].map(([userId, { since }]) => [userId, String(since)]),
      );
      await this.redis.runBulk(this.key, (client) =>
        client
          .multi()
          .del(this.key)
          .hSet(this.key, { ...fields, [COMPLETE_FIELD]: '1' })
          .pExpire(this.key, LEASE_MILLIS)
          .exec(),
      );
    } catch (error) {
      this.isIncomplete = true;
      throw error;
    }
  }

  /** Removes instances whose lease has expired from the list: they have crashed, because others remove themselves. */
  private async forgetOthers(): Promise<void> {
    for (const instanceId of await this.redis.run(INSTANCES, (client) => client.sMembers(INSTANCES)))
      if (!(await this.redis.run(keyOf(instanceId), (client) => client.exists(keyOf(instanceId))))) {
        await this.noteLoss();
        await this.redis.run(INSTANCES, (client) => client.sRem(INSTANCES, instanceId));
      }
  }

  private async noteLoss(): Promise<void> {
    await this.redis.run(LOST_AT, (client) =>
      client.set(LOST_AT, String(Date.now()), { PX: KEEPS_GONE_MILLIS }),
    );
  }

  private get key(): string {
    return keyOf(this.instanceId);
  }

  private write(key: string, command: (client: RedisCommands) => Promise<unknown>): void {
    void this.redis.run(key, command).catch(() => (this.isIncomplete = true));
  }
}

const keyOf = (instanceId: string): string => `squad:connected:${instanceId}`;
const goneKey = (userId: string): string => `squad:gone:${userId}`;
