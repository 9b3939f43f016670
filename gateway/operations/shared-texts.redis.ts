import type { Logger } from '#server/observability/logger.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import type { SharedTexts } from './persisted-operations.ts';

const WHILE_LOST = 'a client sends the text of a persisted operation to each replica of the gateway';

/** The hash tag in braces keeps both keys in one slot of a Redis Cluster. */
const CURRENT = '{gateway:persisted}:current';
const PREVIOUS = '{gateway:persisted}:previous';
/** The maximum size of each of the two Redis hashes. */
const MAX_BYTES = 16 * 1024 * 1024; // 16 MiB
const EXPIRY_SECONDS = 7 * 24 * 60 * 60; // 7 days
const SHA_256 = /^[0-9a-f]{64}$/;

/**
 * Adds a text to the current hash. A full current hash first replaces the previous hash, whose texts are then lost, unless
 * `find` has added them again. The size is a field of the hash itself.
 */
const ADD = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
local added = #ARGV[1] + #ARGV[2]
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
if bytes + added > tonumber(ARGV[3]) and bytes > 0 then
  redis.call('RENAME', KEYS[1], KEYS[2])
  bytes = 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'bytes', bytes + added)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
`;

/** Texts by their SHA-256, in two hashes of Redis of at most 16 MiB each. */
export class RedisSharedTexts implements SharedTexts {
  private readonly connection: RedisConnection;

  private constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  /** Resolves even if Redis is unavailable. */
  static async open(settings: RedisSettings & { redisUrl: string }, log: Logger): Promise<RedisSharedTexts> {
    return new RedisSharedTexts(await RedisConnection.open(settings, { log, whileLost: WHILE_LOST }));
  }

  async find(hash: string): Promise<string | undefined> {
    if (!SHA_256.test(hash)) return undefined;
    try {
      const text = await this.connection.run(CURRENT, (client) => client.hGet(CURRENT, hash));
      if (text !== null) return text;
      const older = await this.connection.run(PREVIOUS, (client) => client.hGet(PREVIOUS, hash));
      if (older !== null) void this.add(hash, older);
      return older ?? undefined;
    } catch {
      return undefined; // the connection has logged that Redis is unavailable
    }
  }

  async add(hash: string, text: string): Promise<void> {
    const script = {
      keys: [CURRENT, PREVIOUS],
      arguments: [hash, text, String(MAX_BYTES), String(EXPIRY_SECONDS)],
    };
    await this.connection.run(CURRENT, (client) => client.eval(ADD, script)).catch(() => undefined);
  }

  close(): void {
    this.connection.close();
  }
}
