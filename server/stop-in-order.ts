import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './observability/logger.ts';

export interface StopStep {
  /** The step's name in the log, e.g. `database`. */
  readonly name: string;
  run(): unknown;
  /** The time limit of the step. Default 2 s. */
  readonly withinMillis?: number | undefined;
}

/**
 * Runs the steps of a stop one after the other. If a step fails or exceeds its time limit, this is logged and the next step
 * begins, so that a database that hangs does not prevent the other steps.
 *
 * @param running contains the names of the steps that have begun and not ended
 */
export async function stopInOrder(
  steps: readonly StopStep[],
  log: Logger,
  running = new Set<string>(),
): Promise<void> {
  for (const { name, run, withinMillis = 2_000 } of steps) {
    const late = new AbortController();
    running.add(name);
    try {
      const outcome = await Promise.race([
        (async () => run())()
          .finally(() => running.delete(name))
          .then(() => 'done'),
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
