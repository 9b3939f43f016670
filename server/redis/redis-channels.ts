import type { RedisConnection } from './redis-connection.ts';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  /** The last of the SUBSCRIBEs and UNSUBSCRIBEs, which go one after the other. */
  settled: Promise<void>;
  isSubscribed: boolean;
  readonly deliver: Listener;
}

/** Longer than for a command: this is once for a listener, and failing means that the caller has to begin again. */
const SUBSCRIBE_MILLIS = 1_000; // 1 s

/**
 * Channels of a connection that does nothing but listen. Any number of listeners share one SUBSCRIBE.
 *
 * The commands of one channel go one after the other: an UNSUBSCRIBE for the last listener must not take away the
 * channel from a listener that came while it was under way.
 */
export class RedisChannels {
  private readonly connection: RedisConnection;
  private readonly channels = new Map<string, Channel>();

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  /** Resolves once the channel is heard, to what ends it. @throws UPSTREAM_UNAVAILABLE */
  async subscribe(name: string, listener: Listener): Promise<() => void> {
    const channel = this.channelOf(name);
    channel.listeners.add(listener);
    const stop = (): void => {
      if (!channel.listeners.delete(listener)) return;
      this.settle(name, channel).catch(() => undefined); // the channel is heard in vain until the connection ends
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

  /** Brings Redis to what the listeners of then want. */
  private settle(name: string, channel: Channel): Promise<void> {
    const step = channel.settled.then(() => this.step(name, channel));
    channel.settled = step.catch(() => undefined);
    return step;
  }

  private async step(name: string, channel: Channel): Promise<void> {
    const isWanted = channel.listeners.size > 0;
    try {
      if (isWanted === channel.isSubscribed) return;
      // What fails may have been done all the same. It counts as not heard: to subscribe once more is harmless.
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
