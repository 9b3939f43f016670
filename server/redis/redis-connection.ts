import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { PlatformError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { inTime } from './in-time.ts';
import { redisAccessOf, type RedisAccess, type RedisSettings } from './redis-client.ts';
import { isRefusal, OneServer, type RedisCommands, type RedisServers } from './redis-servers.ts';
import { ClusterServers } from './redis-cluster.ts';

export interface RedisOptions {
  log: Logger;
  /** The consequence of a Redis that does not answer, as the end of the line in the log, e.g. `requests are not counted`. */
  whileLost: string;
}

/** Whether Redis is unreachable; RedisConnection has logged that already. */
export const isRedisLost = (error: unknown): boolean =>
  error instanceof PlatformError && error.code === 'UPSTREAM_UNAVAILABLE';

/** In the same data centre Redis answers in less than 1 ms. A caller must not wait for a Redis that hangs. */
const COMMAND_MILLIS = 100;
const BREAKER = { failuresToOpen: 5, openMillis: 1_000 }; // 1 s
/** After a failure this connection checks at this interval whether Redis answers again, also if nobody sends a command. */
const PROBE_MILLIS = 200;
/** After this number of failed probes the other nodes are asked for the master, because a replica may have replaced the server. */
const PROBES_OF_A_HANG = 5;
const START_MILLIS = 2_000; // 2 s

/** Answers of a server that cannot do its work now. Other errors are answers to a wrong command. */
const UNABLE =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS|NOPERM|MOVED|ASK)\b/;

/** A server at which a command has failed, until it answers again. */
interface Trouble {
  readonly breaker: CircuitBreaker;
  /** A key of that server. */
  key: string;
  /** Whether commands failed without being sent: many writes may then be missing in Redis. */
  wasOpen: boolean;
  /** Failed probes. */
  probes: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * A connection to Redis, as one server, by sentinels or as a cluster, that never delays a caller for long: every command has a
 * time limit, and after five failures in a row further commands to that server fail at once, except for one trial a second. It
 * reconnects by itself. The log has one line when Redis no longer answers and one when it answers again, however many
 * commands fail in between.
 */
export class RedisConnection {
  readonly servers: RedisServers;
  private readonly options: RedisOptions;
  private readonly troubles = new Map<string, Trouble>();
  private readonly listeners = new Set<(wasLost: boolean) => void>();
  private lost = false;
  private lastError: unknown;
  private isClosed = false;

  private constructor(access: RedisAccess, options: RedisOptions) {
    this.options = options;
    const events = {
      onReady: () => this.onReady(),
      onLost: (error: unknown, keyAtNode?: string) => this.onLost(error, keyAtNode),
    };
    this.servers =
      access.target.kind === 'cluster' ? new ClusterServers(access, events) : new OneServer(access, events);
  }

  /**
   * Connects, and waits at most 2 s for this; if Redis does not answer by then, it is tried again in the background.
   * @throws StartError if a setting is wrong
   */
  static async open(
    settings: RedisSettings & { redisUrl: string },
    options: RedisOptions,
  ): Promise<RedisConnection> {
    const connection = new RedisConnection(redisAccessOf(settings), options);
    await Promise.race([connection.servers.opened, sleep(START_MILLIS, undefined, { ref: false })]);
    if (!connection.servers.isReady && !connection.lost)
      connection.onLost(new Error('Redis did not answer at the start'));
    return connection;
  }

  /** Whether Redis, or one of its servers, does not answer now. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Why Redis refuses to be used with these settings; undefined if it is ready, or only unreachable. */
  get refusal(): Error | undefined {
    return !this.servers.isReady && isRefusal(this.lastError) ? (this.lastError as Error) : undefined;
  }

  /**
   * Runs commands at the server that has the key. Redis may have executed a command whose answer did not arrive in time.
   * @throws UPSTREAM_UNAVAILABLE if there is no answer in time; errors of Redis itself are thrown unchanged
   */
  run<Result>(
    key: string,
    command: (client: RedisCommands) => Promise<Result>,
    withinMillis = COMMAND_MILLIS,
  ): Promise<Result> {
    const client = this.servers.commandsFor(key);
    return this.guarded(key, client && (() => command(client)), withinMillis);
  }

  /** As `run`, for a command as a list of arguments. Without a key the command goes to all masters of a cluster. */
  send(key: string | undefined, args: readonly string[]): Promise<unknown> {
    const isReady = key === undefined ? this.servers.isReady : this.servers.commandsFor(key) !== undefined;
    return this.guarded(key ?? '', isReady ? () => this.servers.send(key, args) : undefined, COMMAND_MILLIS);
  }

  /**
   * Calls the listener when Redis answers again after commands have failed. `wasLost`: so many may have failed that everything
   * has to be read and written again, because the connection was lost or the commands were refused for a while.
   */
  onRecovered(listener: (wasLost: boolean) => void): void {
    this.listeners.add(listener);
  }

  close(): void {
    this.isClosed = true;
    this.listeners.clear();
    for (const { timer } of this.troubles.values()) clearTimeout(timer);
    this.servers.close();
  }

  private async guarded<Result>(
    key: string,
    command: (() => Promise<Result>) | undefined,
    withinMillis: number,
  ): Promise<Result> {
    const node = this.servers.nodeOf(key);
    const trouble = this.troubles.get(node);
    if (!command || (trouble && !trouble.breaker.tryAcquire())) {
      this.troubled(node, key).wasOpen = true;
      throw unavailable();
    }
    try {
      const result = await inTime(command(), withinMillis);
      trouble?.breaker.succeeded(); // the probe notices it, too, and reports the recovery
      return result;
    } catch (error) {
      if (error instanceof ErrorReply && !UNABLE.test(error.message)) {
        trouble?.breaker.succeeded(); // an error is an answer, too
        throw error;
      }
      this.failed(node, key, error);
      throw unavailable(error);
    }
  }

  private failed(node: string, key: string, error: unknown): void {
    if (error instanceof ErrorReply && error.message.startsWith('READONLY'))
      this.servers.findMaster(key, 'the server has become a replica');
    const trouble = this.troubled(node, key);
    trouble.breaker.failed();
    if (!trouble.breaker.isOpen) return;
    trouble.wasOpen = true;
    this.setLost(true, error);
  }

  private troubled(node: string, key: string): Trouble {
    const known = this.troubles.get(node);
    if (known) return known;
    const trouble: Trouble = {
      breaker: new CircuitBreaker(BREAKER),
      key,
      wasOpen: false,
      probes: 0,
      timer: undefined,
    };
    if (this.isClosed) return trouble;
    this.troubles.set(node, trouble);
    this.probeLater(node, trouble);
    return trouble;
  }

  private probeLater(node: string, trouble: Trouble): void {
    trouble.timer = setTimeout(() => void this.probe(node, trouble), PROBE_MILLIS);
    trouble.timer.unref();
  }

  private async probe(node: string, trouble: Trouble): Promise<void> {
    const { key } = trouble;
    try {
      const client = this.servers.commandsFor(key);
      if (!client) throw new Error('Redis is not connected');
      await inTime(client.exists(key), COMMAND_MILLIS);
    } catch (error) {
      if (this.isClosed || this.troubles.get(node) !== trouble) return;
      if (this.servers.commandsFor(key)) this.failed(node, key, error);
      trouble.probes += 1;
      if (this.servers.isSharded && trouble.probes % PROBES_OF_A_HANG === 0)
        this.servers.findMaster(key, 'the server does not answer');
      this.probeLater(node, trouble);
      return;
    }
    if (this.isClosed || this.troubles.get(node) !== trouble) return;
    this.troubles.delete(node);
    this.recovered(trouble.wasOpen);
  }

  private onReady(): void {
    // Commands to the old connection say nothing about the new one.
    for (const { timer } of this.troubles.values()) clearTimeout(timer);
    this.troubles.clear();
    if (this.lost) this.recovered(true);
  }

  private onLost(error: unknown, keyAtNode?: string): void {
    this.lastError = error;
    // In a cluster, the probe of this key finds out when a node answers for the lost node's slots again.
    if (keyAtNode !== undefined) this.troubled(this.servers.nodeOf(keyAtNode), keyAtNode).wasOpen = true;
    this.setLost(true, error);
  }

  private recovered(wasLost: boolean): void {
    if (this.troubles.size === 0) this.setLost(false);
    for (const listener of this.listeners) listener(wasLost);
  }

  private setLost(isLost: boolean, error?: unknown): void {
    if (this.lost === isLost || this.isClosed) return;
    this.lost = isLost;
    const { log, whileLost } = this.options;
    if (isLost) log.warn({ reason: reasonOf(error) }, `Redis does not answer; ${whileLost}`);
    else log.warn({}, 'Redis answers again');
  }
}

const unavailable = (cause?: unknown) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    'The data could not be read or stored now; try again in a moment.',
    { cause, retryAfterSeconds: 1 },
  );

export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
};
