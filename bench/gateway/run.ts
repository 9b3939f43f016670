/**
 * The gateway beside its peers, over the same subgraphs, in one run:
 *
 *     npm run bench                      every workload
 *     npm run bench -- "shop small"      only this one
 *
 * Prints, and writes docs/performance.md with its chart where the peers are there.
 *
 * The peers are no dependency of the platform: `npm install --prefix bench/peers` fetches them; without them the
 * gateway is measured beside the limit alone.
 */
import { CONTENDERS, hasPeers, HOW_TO_HAVE_PEERS, LIMIT, type Contender } from './contenders.ts';
import { median, percentile, pressure, steady } from './load.ts';
import { cpuMillisOf, memoryMibOf } from './processes.ts';
import { printed, writeReport, type Figures, type Measured } from './report.ts';
import { stage, type OnStage, type Staged } from './stage.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

const ROUNDS = 5;
const SECONDS = 1.5;
const STEADY_SECONDS = 4;
const CONNECTIONS = 20;

const log = (line: string) => console.log(line);
const asked = process.argv.slice(2);
const workloads = WORKLOADS.filter(({ name }) => asked.length === 0 || asked.includes(name));

if (process.platform !== 'linux') throw new Error('measures by /proc: expected Linux');
if (!hasPeers) log(HOW_TO_HAVE_PEERS);
const measured: Measured[] = [];
for (const sharing of [false, true])
  for (const workload of workloads) {
    const one = await measure(workload, sharing);
    log(printed(one));
    measured.push(one);
  }
if (hasPeers) await writeReport(measured);

async function measure(workload: Workload, sharing: boolean): Promise<Measured> {
  // Sharing is nothing that the limit knows of.
  const contenders = CONTENDERS.filter(({ name }) => !sharing || name !== LIMIT);
  const staged = await stage(workload, contenders, { sharing, log });
  try {
    const rounds = new Map<Contender, { cpuMillis: number; perSecond: number; failures: number }[]>();
    for (let round = 0; round < ROUNDS; round += 1)
      // In turns, so that what else the machine does meets all of them.
      for (const one of staged.contenders)
        rounds.set(one.contender, [...(rounds.get(one.contender) ?? []), await press(one, staged)]);
    const figures: Figures[] = [];
    for (const one of staged.contenders) {
      const own = rounds.get(one.contender) ?? [];
      const perSecond = median(own.map((round) => round.perSecond));
      figures.push({
        name: one.contender.name,
        cpuMillis: median(own.map((round) => round.cpuMillis)),
        perSecond,
        failures: own.reduce((sum, { failures }) => sum + failures, 0),
        ...(await atHalf(one, staged, perSecond / 2)),
        memoryMib: memoryMibOf(one.process.pid),
      });
    }
    const { bytes, fetches } = staged;
    const date = new Date().toISOString().slice(0, 10);
    return { workload: workload.name, sharing, bytes, fetches, figures, date };
  } finally {
    await staged.stop();
  }
}

async function press({ process, url }: OnStage, { bodies, headers }: Staged) {
  const before = cpuMillisOf(process.pid);
  const { requests, seconds, failures } = await pressure({
    url,
    bodies,
    headers,
    seconds: SECONDS,
    connections: CONNECTIONS,
  });
  return {
    cpuMillis: (cpuMillisOf(process.pid) - before) / requests,
    perSecond: requests / seconds,
    failures,
  };
}

async function atHalf({ url }: OnStage, { bodies, headers }: Staged, perSecond: number) {
  const options = { url, bodies, headers, seconds: STEADY_SECONDS, connections: 100 };
  const { latencies } = await steady(options, perSecond);
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
