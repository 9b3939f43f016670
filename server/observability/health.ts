import type { Express } from 'express';
import { mountPage } from '../http/allowed-methods.ts';

/** Checks something without which a server cannot work: resolves if it is available, rejects with a reason if not. */
export type HealthCheck = () => Promise<unknown>;

interface HealthOptions {
  /** The checks by name. */
  checks: Record<string, HealthCheck>;
  isStopping(): boolean;
  /** The parts of the server that fail now although it continues without them, e.g. `rateLimits: 'requests are not counted'`. */
  losses?(): Record<string, string>;
  /** Whether only a restart of this process would help. */
  isStuck?(): Promise<boolean>;
}

/**
 * `GET /health/live` answers 200, or 503 if only a restart would help. `GET /health/ready` answers 200 if the server can do
 * its work, or 503 with the failed checks. While the server stops, this second route also answers 503, so that a load
 * balancer sends no more requests.
 */
export function mountHealth(app: Express, { checks, isStopping, losses, isStuck }: HealthOptions): void {
  mountPage(app, '/health/live', async (_req, res) => {
    const stuck = (await isStuck?.()) ?? false;
    res.status(stuck ? 503 : 200).json({ status: stuck ? 'stuck' : 'ok' });
  });
  mountPage(app, '/health/ready', async (_req, res) => {
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
  const timeout = new Promise<never>((_resolve, reject) => (timer = setTimeout(reject, 2_000))); // 2 s
  try {
    await Promise.race([check(), timeout]);
    return 'ok';
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
