/**
 * Compares the gateway with its peers over the same subgraphs in one run:
 *
 *     npm run bench                      every workload
 *     npm run bench -- "shop small"      only this one
 *
 * Prints the figures. If the peers are installed, it also writes docs/performance.md and its chart.
 *
 * The peers are not dependencies of the platform: `npm install --prefix bench/peers` installs them. Without them the
 * gateway is compared with the limit only.
 */
import { CONTENDERS, hasPeers, HOW_TO_HAVE_PEERS, LIMIT, OURS } from './contenders.ts';
import { calm, inPairs, leastDisturbed, undisturbed, watched, type Round } from './disturbance.ts';
import { median, percentile, steady } from './load.ts';
import { cpuMillisOf, memoryMibOf } from './processes.ts';
import { divideProcessors } from './processors.ts';
import type { Figures, Measured } from './figures.ts';
import { printed, writeReport } from './report.ts';
import { stage, type OnStage, type Staged } from './stage.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

/** Rounds are short, because the other load of the machine changes within seconds. */
const PRESSED = { rounds: 20, seconds: 0.4, counted: 14 };
/**
 * Ends when each contender has so many undisturbed rounds, or after so many rounds in all. With sharing only the CPU
 * counts, so the first number of rounds is enough.
 */
const STEADY = { undisturbed: 7, mostRounds: 12, leadSeconds: 0.4, seconds: 1 };

const log = (line: string) => console.log(line);
const asked = process.argv.slice(2);
const workloads = WORKLOADS.filter(({ name }) => asked.length === 0 || asked.includes(name));

process.setMaxListeners(0); // each contender adds an 'exit' listener
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (process.platform !== 'linux') throw new Error('measures by /proc: expected Linux');
if (!hasPeers) log(HOW_TO_HAVE_PEERS);
const { forContender, description } = divideProcessors();
log(description);
for (const sharing of [false, true])
  for (const workload of workloads) {
    const one = await measure(workload, sharing);
    log(printed(one));
    if (hasPeers) await writeReport([one]);
  }

async function measure(workload: Workload, sharing: boolean): Promise<Measured> {
  // The limit has no sharing.
  const contenders = CONTENDERS.filter(({ name }) => !sharing || name !== LIMIT);
  const staged = await stage(workload, contenders, { sharing, log, through: forContender });
  try {
    const pressed = await inTurns(staged, PRESSED.rounds, press);
    const counted = (one: OnStage) =>
      leastDisturbed(pressed.get(one) ?? [], PRESSED.counted).map(({ result }) => result);
    const most = (one: OnStage) => median(counted(one).map(({ perSecond }) => perSecond));
    const steadied = await inTurns(
      staged,
      sharing ? STEADY.undisturbed : STEADY.mostRounds,
      (one) => atHalf(one, staged, most(one) / 2),
      {
        isEnough: (rounds) => undisturbed(rounds).length >= STEADY.undisturbed,
      },
    );
    const ours = pressed.get(staged.contenders.find(({ contender }) => contender.name === OURS) as OnStage);
    const figures = staged.contenders.map((one): Figures => {
      const pairs = leastDisturbed(inPairs(ours ?? [], pressed.get(one) ?? []), PRESSED.counted);
      const quiet = leastDisturbed(steadied.get(one) ?? [], STEADY.undisturbed);
      return {
        name: one.contender.name,
        cpuMillis: median(counted(one).map(({ cpuMillis }) => cpuMillis)),
        oursIs: median(pairs.map(({ result: [own, other] }) => own.cpuMillis / other.cpuMillis)),
        perSecond: most(one),
        failures: pressed.get(one)?.reduce((sum, { result }) => sum + result.failures, 0) ?? 0,
        p50: median(quiet.map(({ result }) => result.p50)),
        p99: median(quiet.map(({ result }) => result.p99)),
        stolen: Math.max(...quiet.map(({ stolen }) => stolen)),
        memoryMib: memoryMibOf(one.process.pid),
      };
    });
    const { bytes, fetches } = staged;
    const date = new Date().toISOString().slice(0, 10);
    return { workload: workload.name, sharing, bytes, fetches, figures, date };
  } finally {
    await staged.stop();
  }
}

/**
 * The contenders are measured in turns, so that other load of the machine affects all of them. The waiting ones are
 * suspended, because idle programs collect garbage.
 */
async function inTurns<Result>(
  { contenders }: Staged,
  count: number,
  measureOne: (one: OnStage) => Promise<Result>,
  { isEnough }: { isEnough?: (rounds: readonly Round<Result>[]) => boolean } = {},
): Promise<ReadonlyMap<OnStage, readonly Round<Result>[]>> {
  const results = new Map<OnStage, Round<Result>[]>(contenders.map((one) => [one, []]));
  for (let round = 0; round < count; round += 1) {
    if (isEnough && [...results.values()].every(isEnough)) break;
    for (const one of contenders) {
      one.process.resume();
      await calm();
      results.get(one)?.push(await watched(() => measureOne(one)));
      one.process.pause();
    }
  }
  return results;
}

async function press({ process, load }: OnStage) {
  const before = cpuMillisOf(process.pid);
  const { requests, seconds, failures } = await load.pressure(PRESSED.seconds);
  return {
    cpuMillis: (cpuMillisOf(process.pid) - before) / requests,
    perSecond: requests / seconds,
    failures,
  };
}

/** Milliseconds. */
async function atHalf({ url }: OnStage, { bodies, headers }: Staged, perSecond: number) {
  const { seconds, leadSeconds } = STEADY;
  const options = { url, bodies, headers, seconds, leadSeconds, connections: 100 };
  const { latencies } = await steady(options, perSecond);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
