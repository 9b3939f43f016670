import type { Logger } from '#server/observability/logger.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import type { SpentCosts } from './spent-costs.ts';

const WHILE_LOST = 'the costs of operations are not counted';
const EXPIRY_SECONDS = 120; // longer than a minute, so that late corrections find their sum

/** All replicas of the gateway count together. While Redis does not answer, nothing is counted, and nothing refused. */
export class RedisSpentCosts implements SpentCosts {
  private readonly connection: RedisConnection;

  private constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  static async open(settings: RedisSettings & { redisUrl: string }, log: Logger): Promise<RedisSpentCosts> {
    return new RedisSpentCosts(await RedisConnection.open(settings, { log, whileLost: WHILE_LOST }));
  }

  async add(caller: string, minute: number, cost: number): Promise<number | undefined> {
    const key = `gateway:cost:${minute}:${caller}`;
    const script = { keys: [key], arguments: [String(cost), String(EXPIRY_SECONDS)] };
    const sum: unknown = await this.connection
      .run(key, (client) => client.eval(ADD, script))
      .catch(() => undefined);
    return typeof sum === 'number' ? sum : undefined;
  }

  close(): void {
    this.connection.close();
  }
}

const ADD = `
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return sum
`;
