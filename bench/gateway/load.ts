import { LoadConnection, messageOf } from './load-connection.ts';

type Headers = Readonly<Record<string, string>>;

interface LoadTarget {
  readonly url: string;
  /** Default POST. A GET has no body, so `bodies` is then a list with one empty text. */
  readonly method?: 'GET' | 'POST';
  readonly bodies: readonly (string | Buffer)[];
  /** The headers of all requests, or several sets of headers that are sent in turn. */
  readonly headers: Headers | readonly Headers[];
  readonly connections: number;
}

export interface LoadOptions extends LoadTarget {
  readonly seconds: number;
  /** Ends after this number of requests, if that is before the end of the time. Default: no limit. */
  readonly requests?: number;
}

interface LoadResult {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: readonly number[];
}

/** Sends requests to one address over connections that stay open until `close`. */
export class Load {
  private readonly messages: readonly Buffer[];
  private readonly idle: LoadConnection[];
  private readonly waiting: ((connection: LoadConnection) => void)[] = [];
  private sent = 0;
  private failures = 0;
  private latencies: number[] = [];

  constructor({ url, connections, ...target }: LoadTarget) {
    this.messages = messagesOf({ url, ...target });
    this.idle = Array.from({ length: connections }, () => new LoadConnection(new URL(url)));
  }

  /**
   * Sends as many requests as possible, one after the other on each connection.
   *
   * @param requests ends after this number of requests, if that is before the end of the time
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
   * Sends a constant number of requests a second, whether earlier ones were answered or not. Latency counts from when a
   * request was due, so that a stall affects all requests that wait for it.
   *
   * @param leadSeconds seconds of the same load before the measurement: a program that was idle first collects its garbage
   *   and accepts new connections
   */
  steady(seconds: number, perSecond: number, leadSeconds = 0): Promise<LoadResult> {
    return this.measured(async () => {
      const pending = new Set<Promise<void>>();
      const start = performance.now();
      const lead = Math.ceil(leadSeconds * perSecond);
      for (let sent = 0; performance.now() < start + (leadSeconds + seconds) * 1000;) {
        const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
        for (; sent < due; sent += 1) {
          const from = sent < lead ? undefined : start + ((sent + 1) / perSecond) * 1000;
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

  /** @param from when the request was due; undefined if its latency does not count */
  private async send(from: number | undefined): Promise<void> {
    const message = this.messages[this.sent++ % this.messages.length] ?? Buffer.alloc(0);
    const connection =
      this.idle.pop() ?? (await new Promise<LoadConnection>((resolve) => this.waiting.push(resolve)));
    const status = await connection.send(message);
    const next = this.waiting.shift();
    if (next) next(connection);
    else this.idle.push(connection);
    if (from !== undefined) this.latencies.push(performance.now() - from);
    if (status < 200 || status > 299) this.failures += 1;
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

/** `Load.pressure` over new connections. */
export function pressure({ seconds, requests, ...target }: LoadOptions): Promise<LoadResult> {
  const load = new Load(target);
  return load.pressure(seconds, requests).finally(() => load.close());
}

/** `Load.steady` over new connections. */
export function steady(
  { seconds, leadSeconds, ...target }: LoadTarget & { seconds: number; leadSeconds?: number },
  perSecond: number,
): Promise<LoadResult> {
  const load = new Load(target);
  return load.steady(seconds, perSecond, leadSeconds).finally(() => load.close());
}

/** Each list is repeated in its order, until both end at the same time: one message for each pair of body and headers. */
function messagesOf({ url, method, bodies, headers }: Omit<LoadTarget, 'connections'>): Buffer[] {
  const various = [headers].flat();
  const count = Math.max(bodies.length, various.length);
  const rounds = bodies.length % various.length && various.length % bodies.length ? various.length : 1;
  return Array.from({ length: count * rounds }, (_, at) =>
    messageOf(new URL(url), various[at % various.length] ?? {}, bodies[at % bodies.length] ?? '', method),
  );
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
