import type { Run } from './run.ts';

/**
 * A part of a plan, ready to run. What goes wrong in it becomes an error of the run; it never rejects.
 * Undefined where there is nothing to wait for.
 */
export interface Step {
  run(run: Run): Promise<void> | undefined;
}
