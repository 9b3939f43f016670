import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, ErrorReply } from 'redis';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { PlatformError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';

const clientFor = (url: string, connectTimeoutMillis: number) =>
  createClient({
    url,
    RESP: 2,
    // While Redis is unreachable a command fails at once, instead of waiting for a connection.
    disableOfflineQueue: true,
    // A connection that does not answer pings is replaced: after a failover the old address may never answer.
    pingInterval: 2_000, // 2 s
    socket: {
      connectTimeout: connectTimeoutMillis,
      socketTimeout: 6_000, // 6 s
      reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 2_000), // 2 s
    },
  });

export type RedisClient = ReturnType<typeof clientFor>;

interface RedisOptions {
  log: Logger;
  /** The consequence while Redis is unreachable, as the log states it, e.g. `requests are not counted`. */
  without: string;
}

/** Whether Redis is unreachable; RedisConnection has logged that already. */
export const isRedisLost = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'UPSTREAM_UNAVAILABLE';

/** In the same data centre Redis answers in less than 1 ms. A caller must not wait for a Redis that hangs. */
const COMMAND_MILLIS = 100;
const BREAKER = { failuresToOpen: 5, openMillis: 1_000 }; // 1 s

/**
 * A connection to Redis that never delays a caller for long: every command has a time limit, and after five failures in a
 * row further commands fail at once, except for one trial a second. It reconnects by itself. The log has one line when
 * Redis no longer answers and one when it answers again, however many commands fail in between.
 */
export class RedisConnection {
  private readonly client: RedisClient;
  private readonly options: RedisOptions;
  private readonly breaker = new CircuitBreaker(BREAKER);
  private readonly readyListeners = new Set<() => void>();
  private lost = false;

  private constructor(client: RedisClient, options: RedisOptions) {
    this.client = client;
    this.options = options;
    client.on('error', (error: unknown) => this.setLost(true, error));
    client.on('ready', () => {
      this.breaker.succeeded();
      this.setLost(false);
      for (const listener of this.readyListeners) listener();
    });
  }

  /** Connects, and waits at most 2 s for this; if Redis does not answer by then, it is tried again in the background. */
  static async open(url: string, options: RedisOptions): Promise<RedisConnection> {
    const client = clientFor(url, 2_000); // 2 s
    const connection = new RedisConnection(client, options);
    const connecting = client.connect().catch(() => undefined);
    await Promise.race([connecting, sleep(2_000, undefined, { ref: false })]);
    if (!client.isReady) connection.setLost(true, new Error('Redis did not answer at the start'));
    return connection;
  }

  /** Whether Redis does not answer now. */
  get isLost(): boolean {
    return this.lost;
  }

  /**
   * Runs a command. Redis may have executed a command whose answer did not arrive in time.
   * @throws UPSTREAM_UNAVAILABLE if there is no answer in time; errors of Redis itself are thrown unchanged
   */
  async run<Result>(
    command: (client: RedisClient) => Promise<Result>,
    withinMillis = COMMAND_MILLIS,
  ): Promise<Result> {
    if (!this.client.isReady || !this.breaker.tryAcquire()) throw unavailable();
    try {
      const result = await inTime(command(this.client), withinMillis);
      this.breaker.succeeded();
      this.setLost(false);
      return result;
    } catch (error) {
      if (error instanceof ErrorReply) {
        this.breaker.succeeded(); // an error is an answer, too
        throw error;
      }
      this.breaker.failed();
      if (this.breaker.isOpen) this.setLost(true, error);
      throw unavailable(error);
    }
  }

  /** Calls the listener whenever the connection becomes ready. */
  onReady(listener: () => void): void {
    this.readyListeners.add(listener);
  }

  close(): void {
    this.readyListeners.clear();
    this.client.destroy();
  }

  private setLost(isLost: boolean, error?: unknown): void {
    if (this.lost === isLost) return;
    this.lost = isLost;
    const { log, without } = this.options;
    if (isLost) log.warn({ reason: reasonOf(error) }, `Redis does not answer; ${without}`);
    else log.warn({}, 'Redis answers again');
  }
}

const unavailable = (cause?: unknown) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    'The data could not be read or stored now; try again in a moment.',
    { cause, retryAfterSeconds: 1 },
  );

async function inTime<Result>(answer: Promise<Result>, withinMillis: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      // If an answer arrived while this process was busy, it is read before `setImmediate` calls this function.
      () => setImmediate(() => reject(new Error(`Redis did not answer within ${withinMillis} ms`))),
      withinMillis,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
};
