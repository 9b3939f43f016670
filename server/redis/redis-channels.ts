import type { RedisConnection } from './redis-connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  /** The end of the last SUBSCRIBE or UNSUBSCRIBE; they run one after the other. */
  settled: Promise<void>;
  isSubscribed: boolean;
  readonly deliver: Listener;
}

/** Longer than for a command: it happens once for each listener, and a failure makes the caller begin again. */
const SUBSCRIBE_MILLIS = 1_000; // 1 s

/**
 * The channels of a connection that only listens. Any number of listeners share one SUBSCRIBE.
 *
 * The commands for one channel run one after the other: an UNSUBSCRIBE after the last listener must not cut off a new
 * listener that subscribes while it is running.
 */
export class RedisChannels {
  private readonly connection: RedisConnection;
  private readonly channels = new Map<string, Channel>();

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  /** Resolves to its unsubscribe function once Redis has confirmed the subscription. @throws UPSTREAM_UNAVAILABLE */
  async subscribe(name: string, listener: Listener): Promise<() => void> {
    const channel = this.channelOf(name);
    channel.listeners.add(listener);
    const stop = (): void => {
      if (!channel.listeners.delete(listener)) return;
      this.settle(name, channel).catch(() => undefined); // the channel stays subscribed without a listener until the connection ends
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

  /** Subscribes or unsubscribes at Redis, so that it matches whether there are listeners. */
  private settle(name: string, channel: Channel): Promise<void> {
    const step = channel.settled.then(() => this.step(name, channel));
    channel.settled = step.catch(() => undefined);
    return step;
  }

  private async step(name: string, channel: Channel): Promise<void> {
    const isWanted = channel.listeners.size > 0;
    try {
      if (isWanted === channel.isSubscribed) return;
      // A failed command may still have been carried out. It counts as not subscribed: subscribing twice is harmless.
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
