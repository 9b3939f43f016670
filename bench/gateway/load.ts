import { LoadConnection, messageOf } from './load-connection.ts';

type Headers = Readonly<Record<string, string>>;

export interface LoadOptions {
  readonly url: string;
  readonly bodies: readonly (string | Buffer)[];
  /** One for all requests, or several that are sent in turn. */
  readonly headers: Headers | readonly Headers[];
  readonly seconds: number;
  readonly connections: number;
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

/** As many requests as the connections take, one after the other on each. */
export async function pressure(options: LoadOptions): Promise<LoadResult> {
  let left = options.requests ?? Infinity;
  return load(options, async (send, until) => {
    await Promise.all(
      Array.from({ length: options.connections }, async () => {
        while (left > 0 && performance.now() < until) {
          left -= 1;
          await send(performance.now());
        }
      }),
    );
  });
}

/**
 * So many requests a second, whether the ones before were answered or not; latency counts from when a request was due,
 * so that a stall costs all those that wait for it.
 */
export async function steady(options: LoadOptions, perSecond: number): Promise<LoadResult> {
  return load(options, async (send, until) => {
    const pending = new Set<Promise<void>>();
    const start = performance.now();
    for (let sent = 0; performance.now() < until;) {
      const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
      for (; sent < due; sent += 1) {
        const one: Promise<void> = send(start + (sent / perSecond) * 1000).finally(() => pending.delete(one));
        pending.add(one);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(pending);
  });
}

async function load(
  { url, bodies, headers, seconds, connections }: LoadOptions,
  drive: (send: (from: number) => Promise<void>, until: number) => Promise<void>,
): Promise<LoadResult> {
  const messages = messagesOf({ url, bodies, headers });
  const idle = Array.from({ length: connections }, () => new LoadConnection(new URL(url)));
  const waiting: ((connection: LoadConnection) => void)[] = [];
  const latencies: number[] = [];
  let [sent, failures] = [0, 0];
  const send = async (from: number) => {
    const message = messages[sent++ % messages.length] ?? Buffer.alloc(0);
    const connection = idle.pop() ?? (await new Promise<LoadConnection>((resolve) => waiting.push(resolve)));
    const status = await connection.send(message);
    const next = waiting.shift();
    if (next) next(connection);
    else idle.push(connection);
    latencies.push(performance.now() - from);
    if (status !== 200) failures += 1;
  };
  const start = performance.now();
  await drive(send, start + seconds * 1000);
  const took = (performance.now() - start) / 1000;
  for (const connection of idle) connection.close();
  return {
    requests: latencies.length,
    failures,
    seconds: took,
    latencies: latencies.toSorted((a, b) => a - b),
  };
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
