import { randomBytes } from 'node:crypto';
import type { DatabaseServer } from '../database/database-server.ts';
import { listenTo, type Notifications } from '../database/notifications.ts';
import type { Logger } from '../observability/logger.ts';
import type { RedisSettings } from '../redis/redis-client.ts';
import type { RedisConnection } from '../redis/redis-connection.ts';
import { ANY_KIND, FOLLOWED_MILLIS, PROOF_MILLIS, type ChangeKeys } from './change-keys.ts';
import { CHANGES_CHANNEL } from './change-triggers.ts';

interface ChangeNoticesOptions {
  /** All kinds of changes that the triggers of the service note; see `noteChanges`. */
  kinds: readonly string[];
  keys: ChangeKeys;
  database: { server: DatabaseServer; name: string };
  redis: RedisSettings & { redisUrl: string };
  log: Logger;
}

const WHILE_LOST = 'gateways do not use their shared cache for this service';

/** Renews the proof, and returns the number of tokens, which is 0 if Redis has lost its data. */
const PROVE = `
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return redis.call('HLEN', KEYS[2])
`;

/**
 * Notes in Redis which kinds of the service's data have changed, so that gateways no longer use cached values of these kinds.
 * Every replica notes all changes, whichever replica or job made them, because the triggers notify through the database.
 *
 * A replica proves again and again that it misses no change: it sends a query over the connection that listens, whose answer
 * comes after all earlier notifications, and then writes all their tokens. Without such a proof gateways do not use their
 * caches. So if a connection to the database or to Redis is lost, the platform is slower, but no answer is out of date.
 */
export class ChangeNotices {
  private readonly options: ChangeNoticesOptions;
  private readonly redis: RedisConnection;
  private readonly notifications: Notifications;
  /** Kinds whose new tokens Redis has not accepted yet. `ANY_KIND`: all of them. */
  private pending = new Set<string>([ANY_KIND]);
  private flushing: Promise<void> | undefined;
  private isProving = false;
  private readonly timer: NodeJS.Timeout;

  private constructor(options: ChangeNoticesOptions, redis: RedisConnection, notifications: Notifications) {
    this.options = options;
    this.redis = redis;
    this.notifications = notifications;
    notifications.on(CHANGES_CHANNEL, (kind) => {
      this.pending.add(kind ?? ANY_KIND);
      void this.flush().catch(() => undefined); // the next proof tries again
    });
    // After a failover of Redis, the new server may lack the latest tokens.
    redis.onRecovered((wasLost) => {
      if (wasLost) this.pending.add(ANY_KIND);
    });
    this.timer = setInterval(() => void this.prove(), PROOF_MILLIS);
    this.timer.unref();
    void this.prove();
  }

  /** Resolves even if Redis is unavailable. */
  static async open(options: ChangeNoticesOptions): Promise<ChangeNotices> {
    // Loaded only if needed, because the Redis client consists of about 650 files.
    const { RedisConnection } = await import('../redis/redis-connection.ts');
    const { log, database } = options;
    const redis = await RedisConnection.open(options.redis, { log, whileLost: WHILE_LOST });
    try {
      const { server, name } = database;
      return new ChangeNotices(options, redis, await listenTo(server, name, [CHANGES_CHANNEL], log));
    } catch (error) {
      redis.close();
      throw error;
    }
  }

  losses(): Record<string, string> {
    return this.redis.isLost ? { sharedCache: WHILE_LOST } : {};
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.notifications.close();
    await this.flushing?.catch(() => undefined);
    this.redis.close();
  }

  private async prove(): Promise<void> {
    if (this.isProving) return;
    this.isProving = true;
    const { followed, tokens } = this.options.keys;
    try {
      await this.notifications.whenDelivered();
      await this.flush();
      const script = { keys: [followed, tokens], arguments: [String(FOLLOWED_MILLIS)] };
      const count = await this.redis.run(tokens, (client) => client.eval(PROVE, script));
      if (count === 0) this.pending.add(ANY_KIND);
    } catch {
      // Without the proof gateways do not use their caches; the connections log that they are lost.
    } finally {
      this.isProving = false;
    }
  }

  /** Resolves when Redis has accepted the tokens of all changes that were noticed before the call. */
  private async flush(): Promise<void> {
    while (this.flushing) await this.flushing.catch(() => undefined);
    if (this.pending.size === 0) return;
    this.flushing = this.writeTokens().finally(() => (this.flushing = undefined));
    await this.flushing;
  }

  private async writeTokens(): Promise<void> {
    const { kinds, keys } = this.options;
    const changed = this.pending;
    this.pending = new Set();
    try {
      const isAny = changed.has(ANY_KIND);
      const fields = [...(isAny ? kinds : changed), ANY_KIND].map((kind) => [kind, newToken()] as const);
      await this.redis.run(keys.tokens, async (client) => {
        const commands = client.multi();
        // This deletes the tokens of single users, too (`ownKind`), without new ones: the kind's new token counts for all users.
        if (isAny) commands.del(keys.tokens);
        return commands.hSet(keys.tokens, Object.fromEntries(fields)).exec();
      });
      await this.redis.run(keys.channel, (client) => client.publish(keys.channel, ''));
    } catch (error) {
      for (const kind of changed) this.pending.add(kind);
      throw error;
    }
  }
}

const newToken = (): string => randomBytes(9).toString('base64url');
