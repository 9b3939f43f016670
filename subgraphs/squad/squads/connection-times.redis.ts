import type { Logger } from '#server/observability/logger.ts';
import { ALIVE_FIELD, LEASE_MILLIS, RENEWAL_MILLIS } from '../storage/instance-lease.ts';
import type { RedisConnections } from '../storage/redis-connections.ts';
import {
  connectionTime,
  KEEPS_GONE_MILLIS,
  type ConnectionTime,
  type ConnectionTimes,
} from './connection-times.ts';

const INSTANCES = 'squad:connected';

/** The connections of all instances. Each instance has a Redis hash: its connected users, and since when. */
export class RedisConnectionTimes implements ConnectionTimes {
  private readonly redis: RedisConnections;
  private readonly instanceId: string;
  private readonly log: Logger;
  private readonly connected = new Map<string, { count: number; since: number }>();
  private readonly renewing: NodeJS.Timeout;

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
    redis.onReady(renew);
    renew();
  }

  open(userId: string): () => void {
    const known = this.connected.get(userId) ?? { count: 0, since: connectionTime() };
    known.count += 1;
    this.connected.set(userId, known);
    if (known.count === 1)
      this.write((client) => client.hSet(this.key, { [userId]: String(known.since), [ALIVE_FIELD]: '1' }));
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      known.count -= 1;
      if (known.count > 0) return;
      this.connected.delete(userId);
      this.write(async (client) => {
        await client.set(goneKey(userId), String(Date.now()), { PX: KEEPS_GONE_MILLIS });
        return client.hDel(this.key, userId);
      });
    };
  }

  async of(userIds: readonly string[]): Promise<ReadonlyMap<string, ConnectionTime>> {
    if (userIds.length === 0) return new Map();
    return this.redis.read(async (client) => {
      const instanceIds = await client.sMembers(INSTANCES);
      const [hashes, gone] = await Promise.all([
        Promise.all(instanceIds.map((instanceId) => client.hmGet(keyOf(instanceId), [...userIds]))),
        Promise.all(userIds.map((userId) => client.get(goneKey(userId)))),
      ]);
      return new Map(
        userIds.map((userId, index) => {
          const times = hashes.flatMap((hash) => (hash[index] ? [Number(hash[index])] : []));
          const connectedAt = times.length > 0 ? Math.min(...times) : null;
          const goneAt = gone[index] ? Number(gone[index]) : null;
          return [userId, { connectedAt, goneAt: connectedAt === null ? goneAt : null }];
        }),
      );
    });
  }

  dispose(): void {
    clearInterval(this.renewing);
    this.write((client) => client.del(this.key));
    this.write((client) => client.sRem(INSTANCES, this.instanceId));
  }

  /** Renews the lease. An incomplete hash is written again as a whole. */
  private async renew(): Promise<void> {
    const count = await this.redis.read((client) => client.hLen(this.key));
    const renewed = await this.redis.read((client) => client.pExpire(this.key, LEASE_MILLIS));
    if (!renewed || count !== this.connected.size + 1) {
      const fields = Object.fromEntries(
        [...this.connected].map(([userId, { since }]) => [userId, String(since)]),
      );
      await this.redis.write((client) =>
        client
          .multi()
          .del(this.key)
          .hSet(this.key, { ...fields, [ALIVE_FIELD]: '1' })
          .pExpire(this.key, LEASE_MILLIS)
          .exec(),
      );
      // Not in one transaction with the hash: in a Redis Cluster the two keys may be at different nodes.
      await this.redis.write((client) => client.sAdd(INSTANCES, this.instanceId));
    }
    await this.forgetOthers();
  }

  /** Removes instances whose lease has expired from the list. */
  private async forgetOthers(): Promise<void> {
    for (const instanceId of await this.redis.read((client) => client.sMembers(INSTANCES)))
      if (!(await this.redis.read((client) => client.exists(keyOf(instanceId)))))
        await this.redis.write((client) => client.sRem(INSTANCES, instanceId));
  }

  private get key(): string {
    return keyOf(this.instanceId);
  }

  private write(command: Parameters<RedisConnections['write']>[0]): void {
    void this.redis.write(command).catch(() => undefined); // the next renewal writes what is missing
  }
}

const keyOf = (instanceId: string): string => `squad:connected:${instanceId}`;
const goneKey = (userId: string): string => `squad:gone:${userId}`;
