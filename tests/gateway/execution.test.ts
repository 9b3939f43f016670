import { describe, expect, it } from '@jest/globals';
import { startProcess } from '../support/process.ts';

/** Generated operations for each graph. `EXECUTION_CASES=20000` tests more, `EXECUTION_SEED=...` other ones. */
const CASES = Number(process.env.EXECUTION_CASES ?? 200);
const SEED = process.env.EXECUTION_SEED ?? 'first';
const LIMIT_MILLIS = 60_000 + CASES * 100;

/** `made-up`, `hard`: generated operations over two supergraphs; `written`: those of the tests and documents. */
async function compared(
  which: 'made-up' | 'hard' | 'written',
): Promise<{ operations: number; compiled: number; runs: number }> {
  const program = startProcess(
    [which, String(CASES), SEED],
    {},
    'tests/support/programs/compare-executors.ts',
  );
  const [counts] = await program.printed(/^\{.*\}$/m);
  expect(await program.ended).toBe(0);
  return JSON.parse(counts) as { operations: number; compiled: number; runs: number };
}

describe('the compiled executor answers as @apollo/gateway does', () => {
  it.each([
    ['our supergraph', 'made-up'],
    ['a supergraph with features that are rare in ours', 'hard'],
  ] as const)(
    'on generated operations over %s, for valid and invalid answers of the subgraphs',
    async (_name, which) => {
      const { compiled, runs } = await compared(which);
      expect(compiled).toBeGreaterThan(CASES * 0.9);
      expect(runs).toBeGreaterThan(CASES * 7);
    },
    LIMIT_MILLIS,
  );

  it(
    'on the queries and mutations in the tests and documents, except those with @defer',
    async () => {
      expect((await compared('written')).operations).toBeGreaterThan(100);
    },
    LIMIT_MILLIS,
  );
});
