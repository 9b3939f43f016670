/**
 * The processor time of REST requests, of the gateway, the services and the database: `npm run bench:rest`.
 *
 * `BEFORE=folder` names a second tree of the code with its own `node_modules`, e.g. of an earlier commit. Both platforms
 * then run at once and take turns, and the result is the ratio of this tree to the other one. `ROUNDS=20` measures longer,
 * `REQUESTS=2400` sends more requests a round, `ONLY=check-in` measures the requests with this text in their name,
 * `PROFILE=folder` writes CPU profiles of the gateway and the services there.
 */
import { Load, median } from '../gateway/load.ts';
import { startPlatform, type RunningPlatform } from '../platform/running-platform.ts';
import { DIFFERENT_CHECK_INS, workloadsOf, type Workload } from './workloads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
/**
 * The requests of a round, by default 624. A round begins with the check-ins of all members at their first locations. After
 * a multiple of `DIFFERENT_CHECK_INS` all members are at their second locations, so that these check-ins begin new visits,
 * too. After another number some members can still be at their first locations, where another check-in begins no new visit.
 */
const REQUESTS = Number(process.env.REQUESTS ?? 13 * DIFFERENT_CHECK_INS);
const ONLY = process.env.ONLY ?? '';
const NODE_OPTIONS = process.env.PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${process.env.PROFILE}`] : [];
const WARM_UP_ROUNDS = 2;
const WAYS = { throughGateway: 'through the gateway', atService: "at the service's port" } as const;
type Way = keyof typeof WAYS;

/** Processor time per request, in microseconds. */
interface Cost {
  readonly gateway: number;
  readonly services: number;
  readonly database: number;
}

interface Contender {
  readonly name: 'this' | 'before';
  readonly platform: RunningPlatform;
  readonly workloads: readonly Workload[];
}

const contenders: Contender[] = [];
try {
  contenders.push(await startContender('this', undefined));
  if (process.env.BEFORE) contenders.push(await startContender('before', process.env.BEFORE));
  const names = contenders[0]?.workloads.map(({ name }) => name) ?? [];
  for (const [at, name] of names.entries())
    if (name.includes(ONLY))
      for (const way of ['throughGateway', 'atService'] as const)
        report(`${name}, ${WAYS[way]}`, await measure(at, way));
} finally {
  for (const { platform } of contenders) await platform.stop();
}

async function startContender(name: Contender['name'], tree: string | undefined): Promise<Contender> {
  const platform = await startPlatform({ tree, nodeOptions: NODE_OPTIONS });
  return { name, platform, workloads: await workloadsOf(platform) };
}

/** The costs in each round. The contenders take turns, so that other load of the machine affects both. */
async function measure(workload: number, way: Way): Promise<ReadonlyMap<Contender['name'], readonly Cost[]>> {
  const costs = new Map<Contender['name'], Cost[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
    for (const { name, platform, workloads } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const target = workloads[workload]?.[way]();
      if (!target) throw new Error(`${name} has no such workload`);
      const cost = await costOf(new Load(target), platform);
      if (round >= 0) costs.get(name)?.push(cost);
    }
  return costs;
}

async function costOf(load: Load, platform: RunningPlatform): Promise<Cost> {
  const before = platform.cpu();
  const { requests, failures } = await load.pressure(60, REQUESTS);
  const after = platform.cpu();
  load.close();
  if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
  const micros = (part: keyof Cost) => ((after[part] - before[part]) * 1000) / requests;
  return { gateway: micros('gateway'), services: micros('services'), database: micros('database') };
}

function sumOf({ gateway, services, database }: Cost): number {
  return gateway + services + database;
}

function report(title: string, costs: Awaited<ReturnType<typeof measure>>): void {
  console.log(`\n${title}`);
  for (const [name, rounds] of costs) {
    const of = (pick: (cost: Cost) => number) => median(rounds.map(pick)).toFixed(0).padStart(5);
    console.log(
      `  ${name.padEnd(6)} ${of(sumOf)} µs: gateway ${of(({ gateway }) => gateway)}, services ${of(({ services }) => services)}, database ${of(({ database }) => database)}`,
    );
  }
  const [ours = [], before] = [costs.get('this'), costs.get('before')];
  if (!before) return;
  const ratios = ours.map((cost, round) => sumOf(cost) / sumOf(before[round] as Cost));
  const sorted = ratios.toSorted((a, b) => a - b);
  console.log(
    `  ratio  ${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`,
  );
}
