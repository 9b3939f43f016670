import type { Express } from 'express';

/** Checks something that a server cannot work without: resolves if it is available, rejects with a reason if not. */
export type HealthCheck = () => Promise<unknown>;

interface HealthOptions {
  /** The checks by name. */
  checks: Record<string, HealthCheck>;
  isStopping(): boolean;
  /** What does not work at the moment although the server continues without it, by name, e.g. `rateLimits: 'requests are not counted'`. */
  losses?(): Record<string, string>;
  /** Whether only a restart of this process would help. */
  isStuck?(): Promise<boolean>;
}

/**
 * `GET /health/live`: the process answers; 503 if only a restart would help. `GET /health/ready`: the server can do its
 * work; a 503 names the failed checks. It is also 503 while the server stops, so that a load balancer removes it first.
 */
export function mountHealth(app: Express, { checks, isStopping, losses, isStuck }: HealthOptions): void {
  app.get('/health/live', async (_req, res) => {
    const stuck = (await isStuck?.()) ?? false;
    res.status(stuck ? 503 : 200).json({ status: stuck ? 'stuck' : 'ok' });
  });
  app.get('/health/ready', async (_req, res) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    const ready = !isStopping() && results.every(([, outcome]) => outcome === 'ok');
    const lost = losses?.() ?? {};
    res.status(ready ? 200 : 503).json({
      status: ready ? 'ok' : isStopping() ? 'stopping' : 'unavailable',
      checks: Object.fromEntries(results),
      ...(Object.keys(lost).length > 0 && { lost }),
    });
  });
}

async function outcomeOf(check: HealthCheck): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => (timer = setTimeout(reject, 2_000))); // 2 s
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
