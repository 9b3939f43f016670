import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A round of measuring, and the share of the machine's processor time that the host gave to others meanwhile. */
export interface Round<Result> {
  readonly result: Result;
  readonly stolen: number;
}

/**
 * On a virtual machine the host may take the processors away for some milliseconds, which then stand in every latency.
 * The kernel counts that.
 */
export async function watched<Result>(measure: () => Promise<Result>): Promise<Round<Result>> {
  const before = processorTimes();
  const result = await measure();
  const after = processorTimes();
  return { result, stolen: (after.stolen - before.stolen) / (after.all - before.all) };
}

const [LOOK_MILLIS, MOST_LOOKS] = [120, 5];

/**
 * Waits until the host takes nothing, but 0.6 s at most: many give a machine that was busy for long less than it asks
 * for, until it has been quiet for a while. A program that stood still ends its idle connections meanwhile.
 */
export async function calm(): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { stolen } = await watched(() => setTimeout(LOOK_MILLIS));
    if (stolen === 0) return;
  }
}

/** Of so many rounds those of which the host took least. */
export const leastDisturbed = <Result>(rounds: readonly Round<Result>[], count: number): Round<Result>[] =>
  rounds.toSorted((one, other) => one.stolen - other.stolen).slice(0, count);

/** One tick of 10 ms in 1.4 s of two processors. */
const HARDLY_ANYTHING = 0.004;

/** Those of which the host took hardly anything. */
export const undisturbed = <Result>(rounds: readonly Round<Result>[]): Round<Result>[] =>
  rounds.filter(({ stolen }) => stolen <= HARDLY_ANYTHING);

/** What two made of the same rounds, which were one right after the other: a machine's slow minutes meet both. */
export const inPairs = <Result>(
  ones: readonly Round<Result>[],
  others: readonly Round<Result>[],
): Round<readonly [Result, Result]>[] =>
  ones.flatMap(({ result, stolen }, at) => {
    const other = others[at];
    return other ? [{ result: [result, other.result] as const, stolen: Math.max(stolen, other.stolen) }] : [];
  });

/** In ticks since the start of the machine (proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal). */
function processorTimes(): { all: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line.split(/ +/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, ticks) => sum + ticks, 0), stolen: times[7] ?? 0 };
}
