import type { Logger } from '#server/observability/logger.ts';
import type { RedisConnections } from '../storage/redis-connections.ts';
import { KEEPS_GONE_MILLIS, type ConnectionTime, type ConnectionTimes } from './connection-times.ts';

const INSTANCES = 'squad:connected';
/** An instance renews its own hash so often; without that its connections are gone with it. */
const BEAT_MILLIS = 2_000;
const LEASE_MILLIS = 8_000;
/** A hash without fields does not exist; this field says that its instance runs. */
const ALIVE = '_';

/** The connections of all instances: each keeps a hash of its own, of the people whom it has and since when. */
export class RedisConnectionTimes implements ConnectionTimes {
  private readonly redis: RedisConnections;
  private readonly instanceId: string;
  private readonly log: Logger;
  private readonly connected = new Map<string, { count: number; since: number }>();
  private readonly beating: NodeJS.Timeout;

  constructor(redis: RedisConnections, instanceId: string, log: Logger) {
    this.redis = redis;
    this.instanceId = instanceId;
    this.log = log;
    const beat = () =>
      void this.beat().catch((error: unknown) =>
        this.log.debug({ err: error }, 'the connections of this instance could not be shared'),
      );
    this.beating = setInterval(beat, BEAT_MILLIS);
    this.beating.unref();
    redis.onReady(beat);
    beat();
  }

  open(userId: string): () => void {
    const known = this.connected.get(userId) ?? { count: 0, since: Date.now() };
    known.count += 1;
    this.connected.set(userId, known);
    if (known.count === 1)
      this.write((client) => client.hSet(this.key, { [userId]: String(known.since), [ALIVE]: '1' }));
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
    clearInterval(this.beating);
    this.write((client) => client.multi().del(this.key).sRem(INSTANCES, this.instanceId).exec());
  }

  /** Renews the lease; a hash that Redis has lost, or could not be told, is written again as a whole. */
  private async beat(): Promise<void> {
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
          .hSet(this.key, { ...fields, [ALIVE]: '1' })
          .pExpire(this.key, LEASE_MILLIS)
          .sAdd(INSTANCES, this.instanceId)
          .exec(),
      );
    }
    await this.forgetOthers();
  }

  /** Takes instances off the list whose lease is over. */
  private async forgetOthers(): Promise<void> {
    for (const instanceId of await this.redis.read((client) => client.sMembers(INSTANCES)))
      if (!(await this.redis.read((client) => client.exists(keyOf(instanceId)))))
        await this.redis.write((client) => client.sRem(INSTANCES, instanceId));
  }

  private get key(): string {
    return keyOf(this.instanceId);
  }

  private write(command: Parameters<RedisConnections['write']>[0]): void {
    void this.redis.write(command).catch(() => undefined); // the next beat finds what is missing
  }
}

const keyOf = (instanceId: string): string => `squad:connected:${instanceId}`;
const goneKey = (userId: string): string => `squad:gone:${userId}`;
