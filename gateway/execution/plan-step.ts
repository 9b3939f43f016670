import type { ExecutionContext } from './execution-context.ts';

/**
 * A compiled node of a query plan. A failure becomes an error of the execution; the promise of `run` never rejects. `run`
 * returns undefined if there is nothing to wait for.
 */
export interface PlanStep {
  run(execution: ExecutionContext): Promise<void> | undefined;
}
