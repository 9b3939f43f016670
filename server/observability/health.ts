import type { Express } from 'express';

/** A thing that a server cannot work without: resolves when it is there, rejects with a reason when not. */
export type HealthCheck = () => Promise<unknown>;

export interface HealthOptions {
  /** What the server cannot work without, by name. */
  checks: Record<string, HealthCheck>;
  isStopping(): boolean;
  /** What is lost although the server goes on without it, by name, e.g. `rateLimits: 'requests are not counted'`. */
  losses?(): Record<string, string>;
  /** Whether only a restart of this process helps. */
  isStuck?(): Promise<boolean>;
}

/**
 * `GET /health/live`: the process answers; 503 if only a restart helps. `GET /health/ready`: it can do its work; 503
 * names what is missing, also while it stops, so that a load balancer takes it out first.
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
