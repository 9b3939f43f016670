import type { RedisConnection } from './redis-connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  /** Resolves when the last SUBSCRIBE or UNSUBSCRIBE has ended. */
  settled: Promise<void>;
  isSubscribed: boolean;
  readonly deliver: Listener;
}

/** The time limit is longer than that of other commands: a SUBSCRIBE is rare, and if it fails, its caller must start again. */
const SUBSCRIBE_MILLIS = 1_000; // 1 s

/**
 * The channels of a connection that only listens. Any number of listeners share one SUBSCRIBE.
 *
 * The commands for one channel run one after the other. Otherwise the UNSUBSCRIBE for the last listener could take effect
 * after the SUBSCRIBE of a new one, which would then receive nothing.
 */
export class RedisChannels {
  private readonly connection: RedisConnection;
  private readonly channels = new Map<string, Channel>();

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  /** Resolves to the function that unsubscribes, when Redis has confirmed the subscription. @throws UPSTREAM_UNAVAILABLE */
  async subscribe(name: string, listener: Listener): Promise<() => void> {
    const channel = this.channelOf(name);
    channel.listeners.add(listener);
    const stop = (): void => {
      if (!channel.listeners.delete(listener)) return;
      // If this fails, the channel stays subscribed without a listener until the connection ends.
      this.settle(name, channel).catch(() => undefined);
    };
    try {
      await this.settle(name, channel);
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  private channelOf(name: string): Channel {
    const known = this.channels.get(name);
    if (known) return known;
    const listeners = new Set<Listener>();
    const channel: Channel = {
      listeners,
      settled: Promise.resolve(),
      isSubscribed: false,
      deliver: (message) => {
        for (const listener of listeners) listener(message);
      },
    };
    this.channels.set(name, channel);
    return channel;
  }

  /** After the running command, subscribes at Redis if the channel has listeners, and unsubscribes if it has none. */
  private settle(name: string, channel: Channel): Promise<void> {
    const step = channel.settled.then(() => this.step(name, channel));
    channel.settled = step.catch(() => undefined);
    return step;
  }

  private async step(name: string, channel: Channel): Promise<void> {
    const isWanted = channel.listeners.size > 0;
    try {
      if (isWanted === channel.isSubscribed) return;
      // Redis may have executed a command that failed here. The channel then counts as not subscribed, because subscribing
      // twice is harmless.
      channel.isSubscribed = false;
      await this.connection.run(
        (client) =>
          isWanted ? client.subscribe(name, channel.deliver) : client.unsubscribe(name, channel.deliver),
        SUBSCRIBE_MILLIS,
      );
      channel.isSubscribed = isWanted;
    } finally {
      if (channel.listeners.size === 0 && !channel.isSubscribed) this.channels.delete(name);
    }
  }
}
