/**
 * The processor time of one operation at the gateway and in all services together, for the most costly operations that the
 * limits allow. Each operation is new to the gateway, so that planning is measured, too.
 *
 *     npm run bench:worst                                  # all of candidates.ts, each as large as the limits allow
 *     npm run bench:worst -- --only fragments              # only candidates whose name contains this text
 *     npm run bench:worst -- --seed 1 --seconds 300        # a random search for more costly operations
 *     npm run bench:worst -- --caller anonymous            # only as this caller; default: both
 */
import { parseArgs } from 'node:util';
import { CANDIDATES } from './candidates.ts';
import type { Candidate } from './candidates/candidate.ts';
import { measuredPlatform, type Answer, type Caller, type MeasuredPlatform } from './measured-platform.ts';
import { searched } from './search.ts';

const ROUNDS = 3;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    caller: { type: 'string' },
    seed: { type: 'string' },
    seconds: { type: 'string', default: '120' },
  },
});
const callers = (['member', 'anonymous'] as const).filter((one) => !values.caller || values.caller === one);
const platform = await measuredPlatform();
try {
  if (values.seed === undefined) await measureCandidates(platform);
  else
    for (const caller of callers)
      await searched(platform, {
        caller,
        seed: Number(values.seed),
        seconds: Number(values.seconds) / callers.length,
      });
} finally {
  await platform.stop();
}

async function measureCandidates(measured: MeasuredPlatform): Promise<void> {
  const rows: (Answer & { name: string; count: number; caller: Caller })[] = [];
  for (const caller of callers)
    for (const candidate of CANDIDATES.filter(({ name }) => name.includes(values.only))) {
      const count = await largestAllowed(measured, candidate, caller);
      const answers: Answer[] = [];
      for (let round = 0; round < ROUNDS; round += 1)
        answers.push(await measured.send(operationOf(candidate, count), caller));
      const middle = answers.toSorted((a, b) => a.millis - b.millis)[Math.floor(ROUNDS / 2)];
      if (middle) rows.push({ name: candidate.name, count, caller, ...middle });
    }
  rows.sort((a, b) => b.millis - a.millis);
  for (const { name, count, caller, status, code, bytes, millis } of rows)
    console.log(
      `${String(millis).padStart(5)} ms  ${caller.padEnd(9)}  ${name} x ${count}  (${status} ${code}, ${bytes} bytes)`,
    );
}

/** The largest count for which the limits allow the candidate, at least 1. */
async function largestAllowed(
  measured: MeasuredPlatform,
  candidate: Candidate,
  caller: Caller,
): Promise<number> {
  let [allowed, refused] = [0, candidate.most + 1];
  for (let count = candidate.most; refused - allowed > 1; count = Math.floor((allowed + refused) / 2)) {
    const { code } = await measured.send(operationOf(candidate, count), caller);
    if (code === 'OPERATION_LIMIT_EXCEEDED') refused = count;
    else allowed = count;
  }
  return Math.max(1, allowed);
}

function operationOf({ query, variables, service }: Candidate, count: number) {
  const mark = `N${Math.random().toString(36).slice(2)}`;
  return { query: query(count, mark), variables: variables?.(count), service };
}
