import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Logger } from '#server/observability/logger.ts';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import { jsonIn } from '#server/json-object.ts';
import { MemoryWrites, type Write, type WriteListener, type Writes } from './writes.ts';

const CHANNEL = 'gateway:writes';
const WHILE_LOST = 'the replicas of the gateway are not notified of the mutations of each other';

const message = z.object({
  from: z.string(),
  /** Absent in messages of a replica of the previous version: `from` replaces it, so mutations of the replica share one id. */
  id: z.string().optional(),
  caller: z.string(),
  service: z.string(),
  phase: z.enum(['begun', 'ended']),
});

/** Notifies all replicas that share a Redis. While Redis is unavailable, each replica is notified of its own writes only. */
export class RedisWrites implements Writes {
  private readonly local = new MemoryWrites();
  private readonly id = randomUUID();
  private readonly redis: RedisConnection;
  private readonly channels: RedisChannels;
  private isListening = false;

  private constructor(redis: RedisConnection, channels: RedisChannels) {
    this.redis = redis;
    this.channels = channels;
  }

  /** Resolves even if Redis is unavailable; the connection is retried forever. */
  static async open(settings: RedisSettings & { redisUrl: string }, log: Logger): Promise<RedisWrites> {
    const redis = await RedisConnection.open(settings, { log, whileLost: WHILE_LOST });
    const writes = new RedisWrites(redis, new RedisChannels(redis, { log, whileLost: WHILE_LOST }));
    redis.onRecovered(() => void writes.listen());
    await writes.listen();
    return writes;
  }

  async notify(write: Write): Promise<void> {
    await this.local.notify(write);
    const text = JSON.stringify({ ...write, from: this.id });
    // The connection has logged already that Redis is unavailable.
    await this.channels.publish(CHANNEL, text).catch(() => undefined);
  }

  onWrite(listener: WriteListener): () => void {
    return this.local.onWrite(listener);
  }

  async close(): Promise<void> {
    this.channels.close();
    this.redis.close();
    await this.local.close();
  }

  losses(): Record<string, string> {
    return this.redis.isLost || this.channels.isLost ? { writes: WHILE_LOST } : {};
  }

  /** Subscribes once: after a reconnect `RedisChannels` itself subscribes again. */
  private async listen(): Promise<void> {
    if (this.isListening) return;
    this.isListening = true;
    try {
      await this.channels.subscribe(CHANNEL, (text) => this.onMessage(text));
    } catch {
      this.isListening = false;
    }
  }

  private onMessage(text: string): void {
    const { data } = message.safeParse(jsonIn(text));
    if (data && data.from !== this.id) void this.local.notify({ ...data, id: data.id ?? data.from });
  }
}
