import type { Express } from 'express';

/** A thing that a server cannot work without: resolves when it is there, rejects with a reason when not. */
export type HealthCheck = () => Promise<unknown>;

/**
 * `GET /health/live`: the process answers. `GET /health/ready`: it can do its work; 503 names what is missing,
 * also while it stops, so that a load balancer takes it out first.
 */
export function mountHealth(
  app: Express,
  checks: Record<string, HealthCheck>,
  isStopping: () => boolean,
): void {
  app.get('/health/live', (_req, res) => void res.json({ status: 'ok' }));
  app.get('/health/ready', async (_req, res) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    );
    const ready = !isStopping() && results.every(([, outcome]) => outcome === 'ok');
    res.status(ready ? 200 : 503).json({
      status: ready ? 'ok' : isStopping() ? 'stopping' : 'unavailable',
      checks: Object.fromEntries(results),
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
