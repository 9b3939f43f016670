import { Pool } from 'undici';

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
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const various = [headers].flat();
  const latencies: number[] = [];
  let [sent, failures] = [0, 0];
  const send = async (from: number) => {
    const at = sent++;
    const body = bodies[at % bodies.length] ?? '';
    const failed = await post(pool, pathname, various[at % various.length] ?? {}, body);
    latencies.push(performance.now() - from);
    if (failed) failures += 1;
  };
  const start = performance.now();
  await drive(send, start + seconds * 1000);
  const took = (performance.now() - start) / 1000;
  await pool.close();
  return {
    requests: latencies.length,
    failures,
    seconds: took,
    latencies: latencies.toSorted((a, b) => a - b),
  };
}

/** Whether it failed. The body is not kept: to take it in must not cost more than to make it. */
function post(
  pool: Pool,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
): Promise<boolean> {
  return new Promise((resolve) => {
    let status = 0;
    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => (status = code),
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status !== 200),
        onResponseError: () => resolve(true),
      },
    );
  });
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const median = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
