import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { z } from 'zod';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import type { Logger } from '#server/observability/logger.ts';
import { MemoryWrites, type Write, type WriteListener, type Writes } from './writes.ts';

const CHANNEL = 'gateway:writes';
/** A mutation waits no longer than this for Redis. */
const TIME_LIMIT_MILLIS = 100;
/** While Redis does not answer, mutations do not wait for it at all. */
const BREAKER = { failuresToOpen: 3, openMillis: 5_000 };

const message = z.object({
  from: z.string(),
  caller: z.string(),
  service: z.string(),
  phase: z.enum(['begun', 'ended']),
});

/** Tells all gateways that share a Redis. Without Redis each gateway still hears of its own writes. */
export class RedisWrites implements Writes {
  private readonly local = new MemoryWrites();
  private readonly id = randomUUID();
  private readonly breaker = new CircuitBreaker(BREAKER);
  private readonly publisher;
  private readonly subscriber;

  private constructor(url: string, log: Logger) {
    const options = {
      url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries: number) => Math.min(100 * 2 ** tries, 5_000) },
    };
    this.publisher = createClient(options);
    this.subscriber = createClient(options);
    let isAway = false;
    this.publisher.on('ready', () => (isAway = false));
    this.publisher.on('error', (error: unknown) => {
      // Every attempt to connect again fails with an error of its own.
      if (!isAway)
        log.warn({ reason: String(error) }, 'Redis does not answer; gateways do not hear of each other');
      isAway = true;
    });
    this.subscriber.on('error', () => undefined); // the publisher's says so
  }

  /** Resolves also if Redis is away: the connection is tried again for ever. */
  static async open(url: string, log: Logger): Promise<RedisWrites> {
    const writes = new RedisWrites(url, log);
    const isReady = Promise.all([writes.publisher.connect(), writes.listen()]);
    await inTime(isReady, 2_000).catch(() => undefined); // 2 s
    return writes;
  }

  async tell(write: Write): Promise<void> {
    await this.local.tell(write);
    if (!this.publisher.isReady || this.breaker.waitMillis() > 0) return;
    const told = this.publisher.publish(CHANNEL, JSON.stringify({ ...write, from: this.id }));
    try {
      await inTime(told, TIME_LIMIT_MILLIS);
      this.breaker.succeeded();
    } catch {
      this.breaker.failed();
    }
  }

  onWrite(listener: WriteListener): () => void {
    return this.local.onWrite(listener);
  }

  async close(): Promise<void> {
    this.publisher.destroy();
    this.subscriber.destroy();
    await this.local.close();
  }

  private async listen(): Promise<void> {
    await this.subscriber.connect();
    await this.subscriber.subscribe(CHANNEL, (text) => {
      const { data } = message.safeParse(parsed(text));
      if (data && data.from !== this.id) void this.local.tell(data);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function inTime(work: Promise<unknown>, millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Redis did not answer in time')), millis);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
