/**
 * Compares the processor time of the services for queries: `npm run bench:platform -- compare [folder of another checkout]...`.
 * Each result is also shown as a multiple of the result without the fast path: Express and Apollo Server then answer every query.
 * All platforms take turns, so that other load of the machine affects each of them. `ROUNDS=20` and `REQUESTS=1000` measure
 * longer.
 */
import path from 'node:path';
import { Load, median } from '../gateway/load.ts';
import { workloadsAt, READING, type Workload } from './workloads.ts';
import { startPlatform, type RunningPlatform } from './running-platform.ts';

const WITHOUT_FAST_PATH = 'without the fast path';
const PROGRAM_WITHOUT_FAST_PATH = 'bench/platform/without-fast-path.ts';
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const REQUESTS = Number(process.env.REQUESTS ?? 400);
const WARM_UP_REQUESTS = 3 * REQUESTS;

interface Contender {
  readonly name: string;
  readonly platform: RunningPlatform;
  readonly workloads: ReadonlyMap<string, Workload>;
}

export async function compare(checkouts: readonly string[]): Promise<void> {
  const variants = [
    { name: WITHOUT_FAST_PATH, servicesProgram: PROGRAM_WITHOUT_FAST_PATH },
    { name: 'this checkout' },
    ...checkouts.map((folder) => ({ name: folder, tree: path.resolve(folder) })),
  ];
  const contenders: Contender[] = [];
  try {
    for (const { name, ...options } of variants) {
      const platform = await startPlatform(options);
      contenders.push({ name, platform, workloads: await workloadsAt(platform.url) });
    }
    for (const workload of READING) report(workload, await measure(workload, contenders));
  } finally {
    for (const { platform } of contenders) await platform.stop();
  }
}

/** The processor time of the services per request, in milliseconds, for each contender and round. */
async function measure(workload: string, contenders: readonly Contender[]): Promise<Map<string, number[]>> {
  const figures = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const loads = new Map(
    contenders.map((one) => [one, new Load(one.workloads.get(workload) ?? missing(workload))] as const),
  );
  for (const [{ name, workloads }, load] of loads) {
    await requireData(name, workloads.get(workload) ?? missing(workload));
    await load.pressure(60, WARM_UP_REQUESTS);
  }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [{ name, platform }, load] of loads) {
      const before = platform.cpu();
      const { requests, failures } = await load.pressure(60, REQUESTS);
      if (failures > 0) throw new Error(`${name}: ${failures} failures`);
      figures.get(name)?.push((platform.cpu().services - before.services) / requests);
    }
  for (const load of loads.values()) load.close();
  return figures;
}

function report(workload: string, figures: ReadonlyMap<string, readonly number[]>): void {
  const [without = []] = figures.values();
  console.log(`\n${workload}`);
  for (const [name, millis] of figures) {
    const ratios = millis.map((value, round) => value / (without[round] ?? Number.NaN));
    const lowest = Math.min(...millis) / Math.min(...without);
    console.log(
      `  ${name.padEnd(26)} ${median(millis).toFixed(2)} ms, ${median(ratios).toFixed(2)} times the time without the fast path (lowest round divided by lowest round: ${lowest.toFixed(2)})`,
    );
  }
}

/** A checkout with another schema could answer with errors, which take less or more time. */
async function requireData(name: string, { url, bodies: [body], headers }: Workload): Promise<void> {
  const [sent] = [headers].flat();
  const answer = await (
    await fetch(url, { method: 'POST', body: String(body), headers: { ...sent } })
  ).text();
  if (answer.includes('"errors":')) throw new Error(`${name} answers ${answer.slice(0, 1_000)}`);
}

function missing(workload: string): never {
  throw new Error(`There is no workload "${workload}".`);
}
