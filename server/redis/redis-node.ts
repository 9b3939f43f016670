import { inTime } from './in-time.ts';
import type { RedisClient } from './redis-client.ts';

export interface RedisNodeOptions {
  /** Makes a client for the server that has the data now. The client is not connected yet. */
  client(): Promise<RedisClient>;
  /** Rejects if the connected server cannot be used. */
  verify?(client: RedisClient): Promise<void>;
  onReady(client: RedisClient): void;
  /** Called for every failed attempt to connect, and when a connection is lost. */
  onLost(error: unknown): void;
}

/** The time limit until the server has accepted the connection, the certificates and the password. */
const CONNECT_MILLIS = 4_000; // 4 s
const PING_EVERY_MILLIS = 2_000; // 2 s
const PONG_MILLIS = 2_000; // 2 s
const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 2_000; // 2 s

/**
 * One connection that is replaced by a new one whenever it fails, for ever. The client of a connection that has failed is
 * not used again: the address may have changed (Sentinel), and what it subscribed to is subscribed again by RedisChannels.
 */
export class RedisNode {
  private readonly options: RedisNodeOptions;
  /** The client that is connected, or about to connect. */
  private client: RedisClient | undefined;
  private isReady = false;
  private tries = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly opened: Promise<void>;

  constructor(options: RedisNodeOptions) {
    this.options = options;
    this.opened = this.connect();
  }

  /** Undefined while there is no connection. */
  get ready(): RedisClient | undefined {
    return this.isReady && this.client?.isReady ? this.client : undefined;
  }

  /** Ends the connection, and opens a new one. */
  replace(reason: string): void {
    if (this.client && this.isReady) this.fail(this.client, new Error(reason));
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    if (this.client) end(this.client);
    this.client = undefined;
    this.isReady = false;
  }

  private async connect(): Promise<void> {
    let client: RedisClient | undefined;
    try {
      client = await this.options.client();
      if (this.isClosed) return;
      this.client = client;
      const opening = client;
      client.on('error', (error: unknown) => this.fail(opening, error));
      await inTime(client.connect(), CONNECT_MILLIS);
      await this.options.verify?.(client);
      if (this.client !== client) return;
      this.tries = 0;
      this.isReady = true;
      this.options.onReady(client);
      this.pingLater(client);
    } catch (error) {
      this.fail(client, error);
    }
  }

  /**
   * Finds a server that hangs, or a machine that is gone: neither ends its connections. The client's own `pingInterval` would
   * not find them, because each ping that the client writes begins its `socketTimeout` again.
   */
  private pingLater(client: RedisClient): void {
    this.timer = setTimeout(() => void this.ping(client), PING_EVERY_MILLIS);
    this.timer.unref();
  }

  private async ping(client: RedisClient): Promise<void> {
    try {
      await inTime(client.ping(), PONG_MILLIS);
      if (this.client === client) this.pingLater(client);
    } catch (error) {
      this.fail(client, error);
    }
  }

  private fail(client: RedisClient | undefined, error: unknown): void {
    if (this.isClosed || client !== this.client) return; // reported already
    clearTimeout(this.timer);
    if (client) end(client);
    this.client = undefined;
    this.isReady = false;
    this.options.onLost(error);
    const pauseMillis = Math.min(FIRST_PAUSE_MILLIS * 2 ** this.tries, LONGEST_PAUSE_MILLIS);
    this.tries += 1;
    // A part of the pause is random, so that not all processes connect at the same moment to a server that has restarted.
    this.timer = setTimeout(() => void this.connect(), pauseMillis * (0.5 + Math.random() / 2));
    this.timer.unref();
  }
}

function end(client: RedisClient): void {
  client.removeAllListeners('error');
  client.on('error', () => undefined); // without a listener, a late error would end the process
  client.destroy();
}
