import { median, percentile, pressure, steady } from '../gateway/load.ts';
import { writePlatform, type PlatformFigures } from '../gateway/report.ts';
import { workloadsAt, type Workload } from './workloads.ts';
import { startPlatform, type RunningPlatform } from './running-platform.ts';

const [SECONDS, STEADY_SECONDS, ROUNDS] = [3, 4, 3];

/** Measures everyday requests, and writes the figures into docs/performance.md. */
export async function measureEverydayRequests(): Promise<void> {
  const platform = await startPlatform();
  try {
    const figures: PlatformFigures[] = [];
    for (const [name, workload] of await workloadsAt(platform.url)) {
      const one = await measure(platform, name, workload);
      console.log(one);
      figures.push(one);
    }
    await writePlatform(figures);
  } finally {
    await platform.stop();
  }
}

async function measure(
  platform: RunningPlatform,
  name: string,
  workload: Workload,
): Promise<PlatformFigures> {
  await pressure({ ...workload, seconds: 1.5 });
  const rounds: {
    perSecond: number;
    failures: number;
    gateway: number;
    services: number;
    database: number;
  }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = platform.cpu();
    const { requests, seconds, failures } = await pressure({ ...workload, seconds: SECONDS });
    const after = platform.cpu();
    rounds.push({
      perSecond: requests / seconds,
      failures,
      gateway: (after.gateway - before.gateway) / requests,
      services: (after.services - before.services) / requests,
      database: (after.database - before.database) / requests,
    });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const perSecond = of((round) => round.perSecond);
  const { latencies } = await steady(
    { ...workload, connections: 50, seconds: STEADY_SECONDS },
    perSecond / 2,
  );
  return {
    name,
    perSecond,
    failures: rounds.reduce((sum, { failures }) => sum + failures, 0),
    cpuMillis: {
      gateway: of((round) => round.gateway),
      services: of((round) => round.services),
      database: of((round) => round.database),
    },
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    memoryMib: platform.gatewayMemoryMib(),
  };
}
