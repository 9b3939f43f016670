import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './observability/logger.ts';

export interface StopStep {
  /** Its name in the log, e.g. `database`. */
  readonly name: string;
  run(): unknown;
  /** Time limit in milliseconds. Default 2 s. */
  readonly withinMillis?: number | undefined;
}

/**
 * Runs the steps of a stop one after the other. A step that fails or exceeds its time limit is logged, and the next one
 * begins: a database that hangs must not keep anything else open.
 */
export async function stopInOrder(steps: readonly StopStep[], log: Logger): Promise<void> {
  for (const { name, run, withinMillis = 2_000 } of steps) {
    const late = new AbortController();
    try {
      const outcome = await Promise.race([
        (async () => run())().then(() => 'done'),
        sleep(withinMillis, 'late', { signal: late.signal }),
      ]);
      if (outcome === 'late')
        log.warn({ step: name, withinMillis }, 'a step of the stop takes too long; the stop continues');
    } catch (error) {
      log.warn({ err: error, step: name }, 'a step of the stop failed; the stop continues');
    } finally {
      late.abort();
    }
  }
}
