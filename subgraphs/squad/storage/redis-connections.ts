import { RedisChannels } from '#server/redis/redis-channels.ts';
import { RedisConnection, type RedisClient } from '#server/redis/redis-connection.ts';
import type { Logger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';

/** Longer than Redis ever needs, and short enough for a member who waits. */
const READ_MILLIS = 500;
/**
 * With `appendfsync everysec` Redis holds writes back for up to 2 s while the disk is busy
 * (https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/). A shorter limit would
 * refuse writes that happen all the same, and the member would send them twice.
 */
const WRITE_MILLIS = 2_500;

/** Two connections, one for commands and one that listens. Both reconnect by themselves. */
export class RedisConnections {
  private readonly commands: RedisConnection;
  private readonly listening: RedisConnection;
  private readonly channels: RedisChannels;

  private constructor(commands: RedisConnection, listening: RedisConnection) {
    this.commands = commands;
    this.listening = listening;
    this.channels = new RedisChannels(listening);
  }

  /** @throws StartError if Redis does not answer, so that a wrong REDIS_URL is noticed */
  static async open(url: string, log: Logger): Promise<RedisConnections> {
    const without = 'squads, chat and presence are not stored or shared';
    const [commands, listening] = await Promise.all([
      RedisConnection.open(url, { log, without }),
      RedisConnection.open(url, { log, without: 'changes of other instances are not received' }),
    ]);
    try {
      await Promise.all([commands, listening].map((one) => one.run((client) => client.ping(), WRITE_MILLIS)));
    } catch (cause) {
      commands.close();
      listening.close();
      throw new StartError(
        `Redis at ${new URL(url).host} does not answer. Check that it runs, and that REDIS_URL with its password is right.`,
        { cause },
      );
    }
    return new RedisConnections(commands, listening);
  }

  /** @throws UPSTREAM_UNAVAILABLE */
  read<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result> {
    return this.commands.run(command, READ_MILLIS);
  }

  /** @throws UPSTREAM_UNAVAILABLE, also if the write may have happened */
  write<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result> {
    return this.commands.run(command, WRITE_MILLIS);
  }

  /** For commands that are not worth a wait: 100 ms. @throws UPSTREAM_UNAVAILABLE */
  attempt<Result>(command: (client: RedisClient) => Promise<Result>): Promise<Result> {
    return this.commands.run(command);
  }

  /** Calls the listener whenever a connection becomes ready. */
  onReady(listener: () => void): void {
    this.commands.onReady(listener);
    this.listening.onReady(listener);
  }

  /** Resolves to the function that ends the subscription. @throws UPSTREAM_UNAVAILABLE */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    return this.channels.subscribe(channel, listener);
  }

  close(): void {
    this.commands.close();
    this.listening.close();
  }
}
