/**
 * Compares the gateway with other gateways and the baseline, over the same subgraphs, in one run:
 *
 *     npm run bench                      every workload
 *     npm run bench -- "shop small"      only this one
 *
 * Prints the figures. If the other gateways are installed, it also writes docs/performance.md and its chart.
 *
 * The other gateways are not dependencies of the platform: `npm install --prefix bench/peers` installs them. Without them
 * the gateway is compared with the baseline only.
 */
import {
  COMPARED_PROGRAMS,
  hasOtherGateways,
  HOW_TO_INSTALL_OTHERS,
  BASELINE,
  OURS,
} from './compared-programs.ts';
import {
  measureRound,
  waitUntilNoSteal,
  pairsOf,
  withLeastSteal,
  withoutSteal,
  type Round,
} from './steal-time.ts';
import { median, percentile, steady } from './load.ts';
import { cpuMillisOf, memoryMibOf } from './processes.ts';
import { divideProcessors } from './processors.ts';
import type { Figures, Measured } from './figures.ts';
import { printed, writeReport } from './report.ts';
import { startComparison, type RunningProgram, type Comparison } from './comparison.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/**
 * How the maximum rate is measured. Rounds are short, because other load of the machine changes within seconds. The figures
 * are of the `countedRounds` with the least steal time.
 */
const MAX_RATE = { rounds: 20, seconds: 0.4, countedRounds: 14 };
/**
 * How the latency at half of the maximum rate is measured. The measurement ends when each program has `roundsWithoutSteal`
 * rounds with negligible steal time, or after `maxRounds`. If equal requests are shared, it ends after `roundsWithoutSteal` rounds,
 * whatever their steal time: the purpose is then to compare the CPU, which is measured at the maximum rate.
 */
const HALF_RATE = { roundsWithoutSteal: 7, maxRounds: 12, leadSeconds: 0.4, seconds: 1 };

const log = (line: string) => console.log(line);
const wanted = process.argv.slice(2);
const names = WORKLOADS.map(({ name }) => name);
for (const name of wanted)
  if (!names.includes(name)) throw new Error(`Expected a workload (${names.join(', ')}), got "${name}".`);
const workloads = WORKLOADS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

process.setMaxListeners(0); // each program adds an 'exit' listener
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (process.platform !== 'linux')
  throw new Error('Expected Linux, because processor times and memory are read from /proc.');
if (!hasOtherGateways) log(HOW_TO_INSTALL_OTHERS);
const { forMeasured, description } = divideProcessors();
log(description);
// `sharing`: whether a gateway sends equal concurrent requests to a subgraph once, for all that wait for the answer.
for (const sharing of [false, true])
  for (const workload of workloads) {
    const one = await measure(workload, sharing);
    log(printed(one));
    if (hasOtherGateways) await writeReport([one]);
  }

async function measure(workload: Workload, sharing: boolean): Promise<Measured> {
  // The baseline sends every request to the subgraphs: it cannot share their answers.
  const programs = COMPARED_PROGRAMS.filter(({ name }) => !sharing || name !== BASELINE);
  const comparison = await startComparison(workload, programs, { sharing, log, commandPrefix: forMeasured });
  try {
    const atMaxRate = await inTurns(comparison, MAX_RATE.rounds, measureMaxRate);
    const countedResultsOf = (one: RunningProgram) =>
      withLeastSteal(atMaxRate.get(one) ?? [], MAX_RATE.countedRounds).map(({ result }) => result);
    const maxRateOf = (one: RunningProgram) =>
      median(countedResultsOf(one).map(({ perSecond }) => perSecond));
    const atHalfRate = await inTurns(
      comparison,
      sharing ? HALF_RATE.roundsWithoutSteal : HALF_RATE.maxRounds,
      (one) => measureHalfRate(one, comparison, maxRateOf(one) / 2),
      {
        isEnough: (rounds) => withoutSteal(rounds).length >= HALF_RATE.roundsWithoutSteal,
      },
    );
    const ours = atMaxRate.get(
      comparison.programs.find(({ program }) => program.name === OURS) as RunningProgram,
    );
    const figures = comparison.programs.map((one): Figures => {
      const pairs = withLeastSteal(pairsOf(ours ?? [], atMaxRate.get(one) ?? []), MAX_RATE.countedRounds);
      const leastSteal = withLeastSteal(atHalfRate.get(one) ?? [], HALF_RATE.roundsWithoutSteal);
      return {
        name: one.program.name,
        cpuMillis: median(countedResultsOf(one).map(({ cpuMillis }) => cpuMillis)),
        cpuRatio: median(pairs.map(({ result: [own, other] }) => own.cpuMillis / other.cpuMillis)),
        perSecond: maxRateOf(one),
        failures: atMaxRate.get(one)?.reduce((sum, { result }) => sum + result.failures, 0) ?? 0,
        p50: median(leastSteal.map(({ result }) => result.p50)),
        p99: median(leastSteal.map(({ result }) => result.p99)),
        steal: Math.max(...leastSteal.map(({ steal }) => steal)),
        memoryMib: memoryMibOf(one.process.pid),
      };
    });
    const { bytes, fetches } = comparison;
    const date = new Date().toISOString().slice(0, 10);
    return { workload: workload.name, sharing, bytes, fetches, figures, date };
  } finally {
    await comparison.stop();
  }
}

/**
 * Measures the programs in turns, so that other load of the machine affects all of them. A program that waits is suspended:
 * otherwise it would collect its garbage outside of its own rounds, where this work is not counted, and would disturb the program
 * that is measured.
 */
async function inTurns<Result>(
  { programs }: Comparison,
  count: number,
  measureOne: (one: RunningProgram) => Promise<Result>,
  { isEnough }: { isEnough?: (rounds: readonly Round<Result>[]) => boolean } = {},
): Promise<ReadonlyMap<RunningProgram, readonly Round<Result>[]>> {
  const results = new Map<RunningProgram, Round<Result>[]>(programs.map((one) => [one, []]));
  for (let round = 0; round < count; round += 1) {
    if (isEnough && [...results.values()].every(isEnough)) break;
    for (const one of programs) {
      one.process.resume();
      await waitUntilNoSteal();
      results.get(one)?.push(await measureRound(() => measureOne(one)));
      one.process.pause();
    }
  }
  return results;
}

async function measureMaxRate({ process, load }: RunningProgram) {
  const before = cpuMillisOf(process.pid);
  const { requests, seconds, failures } = await load.pressure(MAX_RATE.seconds);
  return {
    cpuMillis: (cpuMillisOf(process.pid) - before) / requests,
    perSecond: requests / seconds,
    failures,
  };
}

/** Latencies in milliseconds. */
async function measureHalfRate({ url }: RunningProgram, { bodies, headers }: Comparison, perSecond: number) {
  const { seconds, leadSeconds } = HALF_RATE;
  const options = { url, bodies, headers, seconds, leadSeconds, connections: 100 };
  const { latencies } = await steady(options, perSecond);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
