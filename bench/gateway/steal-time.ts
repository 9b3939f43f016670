import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/**
 * A round of measurements with its steal time: the share of processor time that the host of a virtual machine used for
 * other machines meanwhile.
 */
export interface Round<Result> {
  readonly result: Result;
  readonly steal: number;
}

/**
 * Measures one round and its steal time, which the kernel counts. Steal time adds to latencies, because the processors stop
 * for some milliseconds.
 */
export async function measureRound<Result>(measure: () => Promise<Result>): Promise<Round<Result>> {
  const before = processorTimes();
  const result = await measure();
  const after = processorTimes();
  return { result, steal: (after.steal - before.steal) / (after.all - before.all) };
}

const [CHECK_MILLIS, MAX_CHECKS] = [120, 5];

/**
 * Waits until there is no steal time, for at most 0.6 s: many hosts limit a machine that was busy for long until it was
 * idle for a while. Meanwhile a program that was suspended closes its idle connections.
 */
export async function waitUntilNoSteal(): Promise<void> {
  for (let check = 0; check < MAX_CHECKS; check += 1) {
    const { steal } = await measureRound(() => setTimeout(CHECK_MILLIS));
    if (steal === 0) return;
  }
}

/** The rounds with the least steal time, as many as `count`. */
export const withLeastSteal = <Result>(rounds: readonly Round<Result>[], count: number): Round<Result>[] =>
  rounds.toSorted((one, other) => one.steal - other.steal).slice(0, count);

/** A share: one tick of the kernel (10 ms) in 1.4 s of two processors. */
const NEGLIGIBLE_STEAL = 0.004;

/** The rounds whose steal time is negligible. */
export const withoutSteal = <Result>(rounds: readonly Round<Result>[]): Round<Result>[] =>
  rounds.filter(({ steal }) => steal <= NEGLIGIBLE_STEAL);

/** Pairs of consecutive rounds of two programs: what slows the machine down for minutes affects both rounds of a pair. */
export const pairsOf = <Result>(
  ones: readonly Round<Result>[],
  others: readonly Round<Result>[],
): Round<readonly [Result, Result]>[] =>
  ones.flatMap(({ result, steal }, at) => {
    const other = others[at];
    return other ? [{ result: [result, other.result] as const, steal: Math.max(steal, other.steal) }] : [];
  });

/** Ticks since the start of the machine (proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal). */
function processorTimes(): { all: number; steal: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line.split(/ +/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, ticks) => sum + ticks, 0), steal: times[7] ?? 0 };
}
