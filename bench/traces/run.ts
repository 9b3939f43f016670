/**
 * The processor time of traces: `npm run bench:traces`. Two platforms run at once and take turns: one without traces, and
 * one that sends its spans to a collector on this machine. The second one gets requests of which none, a tenth, or all are
 * sampled; these three are compared within one process, because two processes of the same program differ by several per
 * cent. `ROUNDS=20` and `REQUESTS=1200` measure longer.
 */
import path from 'node:path';
import { newSpanId, newTraceId } from '#server/http/trace.ts';
import { Load, median } from '../gateway/load.ts';
import { freePort } from '#server/http/free-ports.ts';
import { start } from '../gateway/processes.ts';
import { startPlatform, type RunningPlatform } from '../platform/running-platform.ts';
import { READING, workloadsAt, type Workload } from '../platform/workloads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 11);
const REQUESTS = Number(process.env.REQUESTS ?? 600);
const WARM_UP_REQUESTS = 2_400;
const WORKLOADS = [READING[0], 'check-in and check-out'];

const PERIOD = 20;

interface Contender {
  readonly name: string;
  readonly platform: RunningPlatform;
  readonly workloads: ReadonlyMap<string, Workload>;
  /** Which of `PERIOD` requests are sampled. */
  readonly sampled: readonly number[];
}

/** Milliseconds of processor time for one request. */
interface Cost {
  readonly gateway: number;
  readonly services: number;
}

const collectorPort = await freePort();
const collector = await start([path.join(import.meta.dirname, 'collector.ts'), String(collectorPort)], {
  cwd: path.join(import.meta.dirname, '../..'),
  env: {},
  ready: /ready/,
});
const ON = {
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
  OTEL_TRACES_SAMPLER: 'parentbased_always_off',
};
const platforms: RunningPlatform[] = [];
try {
  const off = await open({});
  const on = await open(ON);
  const contenders: Contender[] = [
    { name: 'off', ...off, sampled: [] },
    { name: 'none sampled', ...on, sampled: [] },
    // Two of each 20 requests. One has an even position and one an odd position: if a workload sends two kinds of requests in
    // turn, both kinds are sampled.
    { name: '10 % sampled', ...on, sampled: [0, 11] },
    { name: 'all sampled', ...on, sampled: Array.from({ length: PERIOD }, (_, index) => index) },
  ];
  for (const workload of WORKLOADS) report(workload, await measure(workload, contenders));
} finally {
  for (const platform of platforms) await platform.stop();
  await collector.stop();
}

async function open(env: Record<string, string>): Promise<Pick<Contender, 'platform' | 'workloads'>> {
  const platform = await startPlatform({ env });
  platforms.push(platform);
  return { platform, workloads: await workloadsAt(platform.url) };
}

/** The workload with the trace context of a caller, which decides whether a request is sampled. */
function withTraces(workload: Workload, sampled: readonly number[]): Workload {
  const various = [workload.headers].flat();
  const headers = Array.from({ length: PERIOD * various.length }, (_, index) => {
    const flag = sampled.includes(index % PERIOD) ? '01' : '00';
    const traceparent = `00-${newTraceId()}-${newSpanId()}-${flag}`;
    return { ...various[index % various.length], traceparent };
  });
  return { ...workload, headers };
}

async function measure(
  workload: string,
  contenders: readonly Contender[],
): Promise<ReadonlyMap<string, readonly Cost[]>> {
  const costs = new Map<string, Cost[]>(contenders.map(({ name }) => [name, []]));
  const loads = contenders.map((contender) => {
    const target = contender.workloads.get(workload);
    if (!target) throw new Error(`There is no workload "${workload}".`);
    return { ...contender, load: new Load(withTraces(target, contender.sampled)) };
  });
  for (const { load } of loads) await load.pressure(120, WARM_UP_REQUESTS);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, load, platform } of round % 2 === 0 ? loads : loads.toReversed()) {
      const before = platform.cpu();
      const { requests, failures } = await load.pressure(120, REQUESTS);
      const after = platform.cpu();
      if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
      costs.get(name)?.push({
        gateway: (after.gateway - before.gateway) / requests,
        services: (after.services - before.services) / requests,
      });
    }
  for (const { load } of loads) load.close();
  return costs;
}

function report(workload: string, costs: ReadonlyMap<string, readonly Cost[]>): void {
  const both = ({ gateway, services }: Cost): number => gateway + services;
  const roundsOf = (name: string): readonly Cost[] => costs.get(name) ?? [];
  const ratio = (name: string, to: string, of: (cost: Cost) => number): string =>
    median(roundsOf(name).map((cost, round) => of(cost) / of(roundsOf(to)[round] ?? cost))).toFixed(3);
  console.log(`\n${workload}`);
  for (const [name, rounds] of costs) {
    const to = name === 'none sampled' ? 'off' : 'none sampled';
    const millis = median(rounds.map(both)).toFixed(3);
    const ratios = [
      `gateway ${ratio(name, to, ({ gateway }) => gateway)}x`,
      `services ${ratio(name, to, ({ services }) => services)}x`,
      `both ${ratio(name, to, both)}x`,
    ];
    console.log(
      `  ${name.padEnd(14)} ${millis} ms` + (name === 'off' ? '' : `  to "${to}": ${ratios.join('  ')}`),
    );
  }
}
