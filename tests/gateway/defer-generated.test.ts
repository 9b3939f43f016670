import { describe, expect, it } from '@jest/globals';
import { startProcess } from '../support/process.ts';

/** The number of operations that run in parts, for each graph. `DEFER_CASES=20000` tests more, `DEFER_SEED=...` other ones. */
const CASES = Number(process.env.DEFER_CASES ?? 100);
const SEED = process.env.DEFER_SEED ?? 'first';
const LIMIT_MILLIS = 60_000 + CASES * 100;

describe('generated operations with @defer', () => {
  it.each([
    ['our supergraph', 'made-up'],
    ['a supergraph with features that are rare in ours', 'hard'],
  ])(
    'have the same result in the end as without @defer, over %s',
    async (_name, which) => {
      const program = startProcess(
        [which, String(CASES), SEED],
        {},
        'tests/support/programs/compare-deferred.ts',
      );
      const [counts] = await program.printed(/^\{.*\}$/m);
      expect(await program.ended).toBe(0);
      const { inParts, parts } = JSON.parse(counts);
      expect(inParts).toBe(CASES);
      expect(parts).toBeGreaterThan(CASES);
    },
    LIMIT_MILLIS,
  );
});
