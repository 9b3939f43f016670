import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A round of measurements, and the share of processor time that the host of the virtual machine took meanwhile ("steal"). */
export interface Round<Result> {
  readonly result: Result;
  readonly stolen: number;
}

/** On a virtual machine the host may take the processors for some milliseconds, which adds to latencies. The kernel counts it. */
export async function watched<Result>(measure: () => Promise<Result>): Promise<Round<Result>> {
  const before = processorTimes();
  const result = await measure();
  const after = processorTimes();
  return { result, stolen: (after.stolen - before.stolen) / (after.all - before.all) };
}

const [LOOK_MILLIS, MAX_LOOKS] = [120, 5];

/**
 * Waits until the host takes nothing, but 0.6 s at most: many hosts limit a machine that was busy for long until it was
 * idle for a while. Meanwhile a program that was suspended closes its idle connections.
 */
export async function calm(): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const { stolen } = await watched(() => setTimeout(LOOK_MILLIS));
    if (stolen === 0) return;
  }
}

/** The rounds of which the host took least. */
export const leastDisturbed = <Result>(rounds: readonly Round<Result>[], count: number): Round<Result>[] =>
  rounds.toSorted((one, other) => one.stolen - other.stolen).slice(0, count);

/** One tick of 10 ms in 1.4 s of two processors. */
const HARDLY_ANYTHING = 0.004;

/** The rounds of which the host took hardly anything. */
export const undisturbed = <Result>(rounds: readonly Round<Result>[]): Round<Result>[] =>
  rounds.filter(({ stolen }) => stolen <= HARDLY_ANYTHING);

/** Pairs of consecutive rounds of two contenders, so that slow minutes of the machine affect both. */
export const inPairs = <Result>(
  ones: readonly Round<Result>[],
  others: readonly Round<Result>[],
): Round<readonly [Result, Result]>[] =>
  ones.flatMap(({ result, stolen }, at) => {
    const other = others[at];
    return other ? [{ result: [result, other.result] as const, stolen: Math.max(stolen, other.stolen) }] : [];
  });

/** Ticks since the start of the machine (proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal). */
function processorTimes(): { all: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = line.split(/ +/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, ticks) => sum + ticks, 0), stolen: times[7] ?? 0 };
}
