import type { Logger } from '#server/observability/logger.ts';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import { redisAccessOf, type RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import type { RedisCommands } from '#server/redis/redis-servers.ts';
import { redisNameOf } from '#server/redis/redis-url.ts';
import { StartError } from '#server/start-error.ts';

/** The time limit of commands that read or write the entries of many users. */
const BULK_MILLIS = 500;

/** The connections for commands, and those that receive the messages of channels. All reconnect by themselves. */
export class RedisConnections {
  private readonly commands: RedisConnection;
  private readonly channels: RedisChannels;

  private constructor(commands: RedisConnection, channels: RedisChannels) {
    this.commands = commands;
    this.channels = channels;
  }

  /**
   * If Redis is unreachable, the connections are opened later in the background.
   * @throws StartError if Redis refuses the connection, so that a wrong REDIS_URL is noticed
   */
  static async open(settings: RedisSettings & { redisUrl: string }, log: Logger): Promise<RedisConnections> {
    const whileLost = 'presence is not shared, and changes are reported to other instances later';
    const commands = await RedisConnection.open(settings, { log, whileLost });
    const { refusal } = commands;
    if (refusal) {
      commands.close();
      throw new StartError(
        `Redis at ${redisNameOf(redisAccessOf(settings).target)} refuses the connection: ${refusal.message}. ` +
          'Check REDIS_URL with its user and password, and the settings REDIS_* for TLS.',
        { cause: refusal },
      );
    }
    const channels = new RedisChannels(commands, {
      log,
      whileLost: 'changes of other instances are not received',
    });
    return new RedisConnections(commands, channels);
  }

  /** Whether Redis, or one of its servers, does not answer now, or the changes of others are not received. */
  get isLost(): boolean {
    return this.commands.isLost || this.channels.isLost;
  }

  /**
   * Runs commands at the server that has the key.
   * @throws UPSTREAM_UNAVAILABLE if there is no answer within 100 ms; a write may have happened nevertheless
   */
  run<Result>(key: string, command: (client: RedisCommands) => Promise<Result>): Promise<Result> {
    return this.commands.run(key, command);
  }

  /** The same as `run`, with a time limit of `BULK_MILLIS`. */
  runBulk<Result>(key: string, command: (client: RedisCommands) => Promise<Result>): Promise<Result> {
    return this.commands.run(key, command, BULK_MILLIS);
  }

  /** The server that has the key: commands with keys of one server can be sent together. */
  serverOf(key: string): string {
    return this.commands.servers.nodeOf(key);
  }

  /** @throws UPSTREAM_UNAVAILABLE */
  async publish(channel: string, message: string): Promise<void> {
    await this.channels.publish(channel, message);
  }

  /** Resolves to the function that ends the subscription. @throws UPSTREAM_UNAVAILABLE */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => void> {
    return this.channels.subscribe(channel, listener);
  }

  /** Calls the listener when Redis answers again after a command has failed. */
  onRecovered(listener: () => void): void {
    this.commands.onRecovered(listener);
  }

  /**
   * Calls the listener when commands or channels work again, after a connection was replaced or Redis did not answer for a
   * while: messages may have been missed, and Redis may have lost data.
   */
  onReady(listener: () => void): void {
    this.commands.onRecovered((wasLost) => wasLost && listener());
    this.channels.onRestored(listener);
  }

  close(): void {
    this.channels.close();
    this.commands.close();
  }
}
