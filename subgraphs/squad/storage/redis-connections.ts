import { createClient } from 'redis';
import type { Logger } from '#server/observability/logger.ts';

const connectionTo = (url: string) =>
  createClient({
    url,
    RESP: 2,
    // While Redis is away a command fails at once: who waits for it is told.
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000) }, // 2 s
  });

/** Two connections: one for commands, one that listens. Both come back by themselves. */
export class RedisConnections {
  readonly commands: ReturnType<typeof connectionTo>;
  private readonly listening: ReturnType<typeof connectionTo>;
  private readonly readyListeners = new Set<() => void>();

  private constructor(url: string, log: Logger) {
    this.commands = connectionTo(url);
    this.listening = connectionTo(url);
    for (const client of [this.commands, this.listening])
      client.on('error', (error: unknown) => log.warn({ err: error }, 'Redis does not answer'));
    this.listening.on('ready', () => this.readyListeners.forEach((listener) => listener()));
    this.commands.on('ready', () => this.readyListeners.forEach((listener) => listener()));
  }

  /** Rejects where Redis is not there at the start: a wrong REDIS_URL is to be seen. */
  static async open(url: string, log: Logger): Promise<RedisConnections> {
    const connections = new RedisConnections(url, log);
    await Promise.all([connections.commands.connect(), connections.listening.connect()]);
    return connections;
  }

  /** Calls back whenever a connection is there (again). */
  onReady(listener: () => void): void {
    this.readyListeners.add(listener);
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    await this.listening.subscribe(channel, listener);
  }

  async unsubscribe(channel: string): Promise<void> {
    await this.listening.unsubscribe(channel);
  }

  close(): void {
    this.readyListeners.clear();
    this.commands.destroy();
    this.listening.destroy();
  }
}
