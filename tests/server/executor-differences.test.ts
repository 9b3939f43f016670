import { describe, expect, it } from '@jest/globals';
import { startProcess } from '../support/process.ts';
import type { Summary } from '../support/programs/executor-differences.ts';

/** `EXECUTOR_CASES=20000` executes this many operations of each kind, and `EXECUTOR_SEED=...` other operations. */
const { EXECUTOR_CASES = '500', EXECUTOR_SEED = 'first' } = process.env;

/**
 * @param kind `made-up`: generated operations of our schemas and of hard ones; `sent`: what the gateway sends for
 * operations in our tests and documents
 */
async function compared(kind: 'made-up' | 'sent'): Promise<Summary> {
  const program = 'tests/support/programs/executor-differences.ts';
  const { ended, output } = startProcess([kind], { EXECUTOR_CASES, EXECUTOR_SEED }, program);
  const code = await ended;
  if (code !== 0) throw new Error(output());
  return JSON.parse(output()) as Summary;
}

describe('the compiled executor has the same data, errors and resolver calls as graphql-js', () => {
  it.each(['made-up', 'sent'] as const)('on operations that are %s', async (kind) => {
    const { compiled, notCompiled, withErrors, unhandledRejections } = await compared(kind);
    expect(compiled).toBeGreaterThan(notCompiled);
    expect(withErrors).toBeGreaterThan(compiled * 0.1);
    expect(unhandledRejections).toBe(0);
  });
});
