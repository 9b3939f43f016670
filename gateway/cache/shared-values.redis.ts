import type { RedisConnection } from '#server/redis/redis-connection.ts';

/** A value, as all gateways find it. */
export interface SharedValue {
  /** JSON. */
  readonly text: string;
  /** In milliseconds since 1970. */
  readonly storedAt: number;
  readonly maxAgeSeconds: number;
}

/**
 * A hash is removed this long after the last value was added to it. Single values do not expire in Redis; a gateway ignores a
 * value after its lifetime.
 */
const EXPIRY_SECONDS = 24 * 60 * 60; // 1 day
/** The largest value that is stored has this fraction (1 / n) of the bytes of one hash, which are half of the bound. */
const LARGEST_FRACTION = 16;

/**
 * Adds a value to the current hash. If that hash is full, it first replaces the previous hash, whose values are dropped. The
 * size is a field of the hash itself; a value that is replaced still counts, so that the size is never too small.
 */
const ADD = `
local added = #ARGV[1] + #ARGV[2]
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
if bytes + added > tonumber(ARGV[3]) and bytes > 0 then
  redis.call('RENAME', KEYS[1], KEYS[2])
  bytes = 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'bytes', bytes + added)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return bytes + added
`;

const STORED = /^(\d{1,15}) (\d{1,7}) /;

/**
 * Values by digests, in two hashes of Redis, each of at most half of the bound. After a change, values have other digests, so
 * outdated values need not be searched and removed: they are dropped with the previous hash.
 */
export class RedisSharedValues {
  private readonly redis: RedisConnection;
  private readonly current: string;
  private readonly previous: string;
  private readonly maxBytes: number;

  /** @param namespace see `namespaceOf`; the hash tag keeps both keys in one slot of a Redis Cluster */
  constructor(redis: RedisConnection, namespace: string, maxBytes: number) {
    this.redis = redis;
    this.current = `{gateway:cache:${namespace}}:current`;
    this.previous = `{gateway:cache:${namespace}}:previous`;
    this.maxBytes = Math.floor(maxBytes / 2);
  }

  /** In the order of the digests; undefined for an unknown value. Never rejects. */
  async find(digests: readonly string[]): Promise<(SharedValue | undefined)[]> {
    const fields = [...digests];
    try {
      const [current, previous] = await this.redis.run(
        this.current,
        (client) =>
          client
            .multi()
            .hmGet(this.current, fields)
            .hmGet(this.previous, fields)
            // The types of the client lose the order of the replies.
            .exec() as unknown as Promise<(string | null)[][]>,
      );
      return digests.map((_digest, at) => valueIn(current?.[at] ?? previous?.[at]));
    } catch {
      return digests.map(() => undefined); // the connection has logged that Redis is unavailable
    }
  }

  /** Never rejects. */
  async add(digest: string, { text, storedAt, maxAgeSeconds }: SharedValue): Promise<void> {
    if (Buffer.byteLength(text) > this.maxBytes / LARGEST_FRACTION) return;
    const script = {
      keys: [this.current, this.previous],
      arguments: [
        digest,
        `${storedAt} ${maxAgeSeconds} ${text}`,
        String(this.maxBytes),
        String(EXPIRY_SECONDS),
      ],
    };
    await this.redis.run(this.current, (client) => client.eval(ADD, script)).catch(() => undefined);
  }

  /** The bytes of both hashes; undefined if Redis does not say. */
  async bytes(): Promise<number | undefined> {
    try {
      const sizes = await Promise.all(
        [this.current, this.previous].map((key) =>
          this.redis.run(this.current, (client) => client.hGet(key, 'bytes')),
        ),
      );
      return sizes.reduce((total, size) => total + Number(size ?? 0), 0);
    } catch {
      return undefined;
    }
  }
}

/** Undefined if it is not what `add` stores. */
function valueIn(stored: string | null | undefined): SharedValue | undefined {
  const [head, storedAt, maxAge] = STORED.exec(stored ?? '') ?? [];
  if (head === undefined || !stored) return undefined;
  return { text: stored.slice(head.length), storedAt: Number(storedAt), maxAgeSeconds: Number(maxAge) };
}
