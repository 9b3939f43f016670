import { randomUUID } from 'node:crypto';
import { ErrorReply } from 'redis';
import { PlatformError } from '../errors.ts';
import { hashTagOf } from './hash-slot.ts';
import { inTime } from './in-time.ts';
import type { RedisClient } from './redis-client.ts';
import { reasonOf, type RedisConnection, type RedisOptions } from './redis-connection.ts';
import type { RedisNode } from './redis-node.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly name: string;
  readonly listeners: Set<Listener>;
  readonly deliver: Listener;
  /** Resolves when the last SUBSCRIBE or UNSUBSCRIBE has ended. */
  settled: Promise<void>;
  /** The client that has subscribed to it. */
  subscriber: RedisClient | undefined;
}

/** A connection that listens to the channels of one server. */
interface ServerConnection {
  readonly server: string;
  readonly node: RedisNode;
  beat: Beat | undefined;
}

/** A channel of this instance at a server. If a message to it does not come back, the subscriptions there are dead. */
interface Beat {
  readonly name: string;
  stop: (() => void) | undefined;
  sent: number;
  received: number;
}

/** The time limit is longer than that of other commands: a SUBSCRIBE is rare, and if it fails, its caller must start again. */
const SUBSCRIBE_MILLIS = 1_000; // 1 s
const TICK_MILLIS = 1_000; // 1 s
/** SUBSCRIBE commands that are sent at once to a new connection. */
const BATCH = 200;

/**
 * Channels, with connections that only listen. Any number of listeners share one SUBSCRIBE.
 *
 * The commands for one channel run one after the other. Otherwise the UNSUBSCRIBE for the last listener could take effect
 * after the SUBSCRIBE of a new one, which would then receive nothing.
 *
 * Messages can be missed while a connection is replaced, and without a lost connection, too: a server can be slow, or a
 * subscription dead. Each connection therefore listens to a channel of its own, to which this instance publishes every
 * second; if a message does not come back, the connection is replaced. Whenever messages may have been missed, `onRestored`
 * says so after all channels are subscribed again.
 */
export class RedisChannels {
  private readonly redis: RedisConnection;
  private readonly options: RedisOptions;
  private readonly channels = new Map<string, Channel>();
  private readonly connections = new Map<string, ServerConnection>();
  private readonly restoredListeners = new Set<() => void>();
  private readonly instanceId = randomUUID();
  private readonly ticking: NodeJS.Timeout;
  /** Whether a channel could not be subscribed, or lost its connection. */
  private isIncomplete = false;
  private restoring: Promise<void> | undefined;
  private lost = false;
  private isClosed = false;

  /** @param redis publishes; the connections that listen are opened here */
  constructor(redis: RedisConnection, options: RedisOptions) {
    this.redis = redis;
    this.options = options;
    this.ticking = setInterval(() => this.tick(), TICK_MILLIS);
    this.ticking.unref();
  }

  /** Whether messages cannot be received now. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Resolves to the function that unsubscribes, when Redis has confirmed the subscription. @throws UPSTREAM_UNAVAILABLE */
  async subscribe(name: string, listener: Listener): Promise<() => void> {
    const channel = this.channelOf(name);
    channel.listeners.add(listener);
    const stop = (): void => {
      if (!channel.listeners.delete(listener) || this.isClosed) return;
      // If this fails, the channel stays subscribed without a listener until the connection ends.
      this.settle(channel).catch(() => undefined);
    };
    try {
      await this.settle(channel);
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** @throws UPSTREAM_UNAVAILABLE */
  publish(name: string, message: string): Promise<number> {
    return this.redis.run(name, (client) => client.publish(name, message));
  }

  /** Calls the listener when all channels are subscribed again after messages may have been missed. */
  onRestored(listener: () => void): void {
    this.restoredListeners.add(listener);
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.ticking);
    this.restoredListeners.clear();
    for (const { node } of this.connections.values()) node.close();
    this.connections.clear();
    this.channels.clear();
  }

  private channelOf(name: string): Channel {
    const known = this.channels.get(name);
    if (known) return known;
    const listeners = new Set<Listener>();
    const channel: Channel = {
      name,
      listeners,
      deliver: (message) => {
        for (const listener of listeners) listener(message);
      },
      settled: Promise.resolve(),
      subscriber: undefined,
    };
    this.channels.set(name, channel);
    return channel;
  }

  /** Subscribes or unsubscribes at Redis, after the running command, if that is necessary. */
  private settle(channel: Channel): Promise<void> {
    const step = channel.settled.then(() => this.step(channel));
    channel.settled = step.catch(() => undefined);
    return step;
  }

  private async step(channel: Channel): Promise<void> {
    const { name, deliver } = channel;
    const isWanted = channel.listeners.size > 0;
    const before = channel.subscriber?.isReady ? channel.subscriber : undefined;
    try {
      if (!isWanted) {
        channel.subscriber = undefined;
        if (before) await inTime(this.unsubscribe(before, name, deliver), SUBSCRIBE_MILLIS);
        return;
      }
      const client = await this.clientFor(name);
      if (before === client) return;
      // Redis may execute a command that fails here. The channel then counts as not subscribed, because subscribing twice
      // is harmless.
      channel.subscriber = undefined;
      await inTime(this.subscribeAt(client, name, deliver), SUBSCRIBE_MILLIS);
      channel.subscriber = client;
    } catch (error) {
      this.isIncomplete ||= isWanted;
      if (error instanceof ErrorReply && error.message.startsWith('MOVED')) this.findServer(name);
      throw unavailable(error);
    } finally {
      if (channel.listeners.size === 0 && !channel.subscriber && this.channels.get(name) === channel)
        this.channels.delete(name);
    }
  }

  /** Sends a command that the old server of the channel refuses: by this the cluster client notices that the slot has moved. */
  private findServer(name: string): void {
    void this.redis.run(name, (client) => client.exists(name)).catch(() => undefined);
  }

  private subscribeAt(client: RedisClient, name: string, deliver: Listener): Promise<unknown> {
    return this.redis.servers.isSharded ? client.sSubscribe(name, deliver) : client.subscribe(name, deliver);
  }

  private unsubscribe(client: RedisClient, name: string, deliver: Listener): Promise<unknown> {
    return this.redis.servers.isSharded
      ? client.sUnsubscribe(name, deliver)
      : client.unsubscribe(name, deliver);
  }

  /** The client that listens at the server of the channel. Waits for a connection that is being opened. */
  private async clientFor(name: string): Promise<RedisClient> {
    const { node } = this.connectionTo(this.redis.servers.nodeOf(name));
    if (!node.ready) await inTime(node.opened, SUBSCRIBE_MILLIS);
    if (!node.ready) throw new Error('Redis is not connected');
    return node.ready;
  }

  private connectionTo(server: string): ServerConnection {
    const known = this.connections.get(server);
    if (known) return known;
    if (this.isClosed) throw new Error('closed');
    let wasReady = false;
    const node = this.redis.servers.openListener(server, {
      onReady: (client) => {
        client.on('sharded-channel-moved', (name: string) => {
          const channel = this.channels.get(name);
          if (channel?.subscriber === client) channel.subscriber = undefined;
          this.isIncomplete = true;
          this.findServer(name);
        });
        if (wasReady || this.lost) this.isIncomplete = true;
        wasReady = true;
        queueMicrotask(() => this.restore());
      },
      onLost: (error) => {
        this.isIncomplete = true;
        this.setLost(true, error);
      },
    });
    const connection: ServerConnection = { server, node, beat: undefined };
    this.connections.set(server, connection);
    return connection;
  }

  private tick(): void {
    for (const channel of this.channels.values())
      if (channel.listeners.size > 0 && !this.isSettled(channel)) this.isIncomplete = true;
    this.restore();
    this.closeUnusedConnections();
    for (const connection of this.connections.values()) void this.beat(connection).catch(() => undefined);
  }

  private isSettled({ name, subscriber }: Channel): boolean {
    return (
      subscriber !== undefined &&
      subscriber === this.connections.get(this.redis.servers.nodeOf(name))?.node.ready
    );
  }

  /** Subscribes what is not subscribed, and reports when nothing is missing any more. */
  private restore(): void {
    if (!this.isIncomplete || this.restoring || this.isClosed) return;
    this.restoring = this.restoreAll().finally(() => (this.restoring = undefined));
  }

  private async restoreAll(): Promise<void> {
    this.isIncomplete = false;
    const missing = [...this.channels.values()].filter(
      (channel) => channel.listeners.size > 0 && !this.isSettled(channel),
    );
    for (let at = 0; at < missing.length; at += BATCH)
      await Promise.allSettled(missing.slice(at, at + BATCH).map((channel) => this.settle(channel)));
    if (this.isIncomplete || this.isClosed) return; // the next tick tries again
    this.setLost(false);
    for (const listener of this.restoredListeners) listener();
  }

  /** Closes the connections to servers that have left the cluster or lost their slots: no channel of this instance is there. */
  private closeUnusedConnections(): void {
    if (!this.redis.servers.isSharded) return;
    const used = new Set([...this.channels.keys()].map((name) => this.redis.servers.nodeOf(name)));
    for (const [server, { node, beat }] of this.connections)
      if (!used.has(server) || (beat && this.redis.servers.nodeOf(beat.name) !== server)) {
        beat?.stop?.();
        if (used.has(server)) this.connections.get(server)!.beat = undefined;
        else {
          node.close();
          this.connections.delete(server);
        }
      }
  }

  private async beat(connection: ServerConnection): Promise<void> {
    const { node } = connection;
    const client = node.ready;
    if (!client) return;
    connection.beat ??= this.newBeat(connection);
    const { beat } = connection;
    const channel = beat && this.channels.get(beat.name);
    if (!beat?.stop || !channel || !this.isSettled(channel)) return;
    // The last message had a whole interval to come back.
    if (beat.received < beat.sent) {
      beat.received = beat.sent;
      node.replace('a message to a channel of this instance did not arrive');
      return;
    }
    const receivers = await this.publish(beat.name, String(beat.sent + 1));
    if (node.ready !== client || !this.isSettled(channel)) return;
    if (receivers === 0) node.replace('a subscription has ended');
    else beat.sent += 1;
  }

  private newBeat({ server }: ServerConnection): Beat | undefined {
    // The name has the hash tag of another channel of the server, so that it belongs to the same server.
    const other = [...this.channels.keys()].find((name) => this.redis.servers.nodeOf(name) === server);
    if (other === undefined) return undefined;
    const name = `heartbeat:${this.instanceId}:{${hashTagOf(other)}}`;
    const beat: Beat = { name, stop: undefined, sent: 0, received: 0 };
    this.subscribe(name, (message) => (beat.received = Number(message))).then(
      (stop) => (beat.stop = stop),
      () => {
        for (const connection of this.connections.values())
          if (connection.beat === beat) connection.beat = undefined;
      },
    );
    return beat;
  }

  private setLost(isLost: boolean, error?: unknown): void {
    if (this.lost === isLost || this.isClosed) return;
    this.lost = isLost;
    const { log, whileLost } = this.options;
    if (isLost) log.warn({ reason: reasonOf(error) }, `Redis does not answer; ${whileLost}`);
    else log.warn({}, 'Redis answers again');
  }
}

const unavailable = (cause: unknown) =>
  new PlatformError('UPSTREAM_UNAVAILABLE', 'Changes cannot be received now; try again in a moment.', {
    cause,
    retryAfterSeconds: 1,
  });
