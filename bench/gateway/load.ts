import { LoadConnection, messageOf } from './load-connection.ts';

type Headers = Readonly<Record<string, string>>;

export interface LoadTarget {
  readonly url: string;
  readonly bodies: readonly (string | Buffer)[];
  /** One for all requests, or several that are sent in turn. */
  readonly headers: Headers | readonly Headers[];
  readonly connections: number;
}

export interface LoadOptions extends LoadTarget {
  readonly seconds: number;
  /** Ends after so many requests, if that is sooner. Default: only with the time. */
  readonly requests?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  /** Milliseconds, in order. */
  readonly latencies: readonly number[];
}

/** Requests to one address over connections that stay open until it is closed. */
export class Load {
  private readonly messages: readonly Buffer[];
  private readonly idle: LoadConnection[];
  private readonly waiting: ((connection: LoadConnection) => void)[] = [];
  private sent = 0;
  private failures = 0;
  private latencies: number[] = [];

  constructor({ url, bodies, headers, connections }: LoadTarget) {
    this.messages = messagesOf({ url, bodies, headers });
    this.idle = Array.from({ length: connections }, () => new LoadConnection(new URL(url)));
  }

  /**
   * As many requests as the connections take, one after the other on each.
   *
   * @param requests ends after so many, if that is sooner
   */
  pressure(seconds: number, requests = Infinity): Promise<LoadResult> {
    const until = performance.now() + seconds * 1000;
    const connections = this.idle.length;
    let left = requests;
    return this.measured(async () => {
      await Promise.all(
        Array.from({ length: connections }, async () => {
          while (left > 0 && performance.now() < until) {
            left -= 1;
            await this.send(performance.now());
          }
        }),
      );
    });
  }

  /**
   * So many requests a second, whether the ones before were answered or not; latency counts from when a request was due,
   * so that a stall costs all those that wait for it.
   *
   * @param leadSeconds before, of the same load, which does not count: a program that had nothing to do for some time
   *   collects its garbage and takes on its connections anew
   */
  steady(seconds: number, perSecond: number, leadSeconds = 0): Promise<LoadResult> {
    return this.measured(async () => {
      const pending = new Set<Promise<void>>();
      const start = performance.now();
      const lead = Math.ceil(leadSeconds * perSecond);
      for (let sent = 0; performance.now() < start + (leadSeconds + seconds) * 1000;) {
        const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
        for (; sent < due; sent += 1) {
          const from = sent < lead ? undefined : start + (sent / perSecond) * 1000;
          const one: Promise<void> = this.send(from).finally(() => pending.delete(one));
          pending.add(one);
        }
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await Promise.all(pending);
    });
  }

  close(): void {
    for (const connection of this.idle) connection.close();
  }

  /** @param from undefined: its latency does not count */
  private async send(from: number | undefined): Promise<void> {
    const message = this.messages[this.sent++ % this.messages.length] ?? Buffer.alloc(0);
    const connection =
      this.idle.pop() ?? (await new Promise<LoadConnection>((resolve) => this.waiting.push(resolve)));
    const status = await connection.send(message);
    const next = this.waiting.shift();
    if (next) next(connection);
    else this.idle.push(connection);
    if (from !== undefined) this.latencies.push(performance.now() - from);
    if (status !== 200) this.failures += 1;
  }

  private async measured(drive: () => Promise<void>): Promise<LoadResult> {
    this.failures = 0;
    this.latencies = [];
    const start = performance.now();
    await drive();
    return {
      requests: this.latencies.length,
      failures: this.failures,
      seconds: (performance.now() - start) / 1000,
      latencies: this.latencies.toSorted((a, b) => a - b),
    };
  }
}

/** `Load.pressure` over connections of its own. */
export function pressure({ seconds, requests, ...target }: LoadOptions): Promise<LoadResult> {
  const load = new Load(target);
  return load.pressure(seconds, requests).finally(() => load.close());
}

/** `Load.steady` over connections of its own. */
export function steady(
  { seconds, leadSeconds, ...target }: LoadTarget & { seconds: number; leadSeconds?: number },
  perSecond: number,
): Promise<LoadResult> {
  const load = new Load(target);
  return load.steady(seconds, perSecond, leadSeconds).finally(() => load.close());
}

/** Every body with the headers whose turn it is, until both have come to their end together. */
function messagesOf({ url, bodies, headers }: Pick<LoadOptions, 'url' | 'bodies' | 'headers'>): Buffer[] {
  const various = [headers].flat();
  const count = Math.max(bodies.length, various.length);
  const rounds = bodies.length % various.length && various.length % bodies.length ? various.length : 1;
  return Array.from({ length: count * rounds }, (_, at) =>
    messageOf(new URL(url), various[at % various.length] ?? {}, bodies[at % bodies.length] ?? ''),
  );
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
