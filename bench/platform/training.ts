/**
 * Processor time of the home query with the trainings of last week, as a multiple of that without them:
 * `npm run bench:platform -- training`. Both take turns on one platform, whose members have a year of trainings.
 */
import { Load, median } from '../gateway/load.ts';
import { jsonHeaders, logTrainings, newMembers } from './people.ts';
import { startPlatform, type PlatformCpu } from './running-platform.ts';
import { homeQuery } from './workloads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const REQUESTS = Number(process.env.REQUESTS ?? 300);
/** A folder for CPU profiles of the gateway and the services. */
const { PROFILE } = process.env;
const NODE_OPTIONS = PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE}`] : [];
const DAY = 86_400_000; // milliseconds

export async function compareTraining(): Promise<void> {
  const platform = await startPlatform({ nodeOptions: NODE_OPTIONS });
  try {
    const now = Date.now();
    const members = await newMembers(platform.url, 24);
    for (const { token } of members) await logTrainings(platform.url, token, now);
    const [from, to] = [now - 7 * DAY, now].map((time) => new Date(time).toISOString().slice(0, 10));
    const queries = {
      without: homeQuery(''),
      'with training': homeQuery(
        `trainingSummary(from: "${from}", to: "${to}") { count minutes streakWeeks } trainings(first: 5) { nodes { title startedAt minutes volumeKg } }`,
      ),
    };
    const loads = Object.entries(queries).map(([name, query]) => {
      const load = new Load({
        url: `${platform.url}/graphql`,
        bodies: [JSON.stringify({ query })],
        headers: members.map(({ token }) => jsonHeaders(token)),
        connections: 10,
      });
      return { name, load, figures: [] as PlatformCpu[] };
    });
    for (const { load } of loads) await load.pressure(120, 3 * REQUESTS);
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { name, load, figures } of loads) {
        const before = platform.cpu();
        const { requests, failures } = await load.pressure(60, REQUESTS);
        if (failures > 0) throw new Error(`${name}: ${failures} failures`);
        figures.push(perRequest(before, platform.cpu(), requests));
      }
    for (const { load } of loads) load.close();
    const [without, withTraining] = loads.map(({ figures }) => figures);
    report(without ?? [], withTraining ?? []);
  } finally {
    await platform.stop();
  }
}

const perRequest = (before: PlatformCpu, after: PlatformCpu, requests: number): PlatformCpu => ({
  gateway: (after.gateway - before.gateway) / requests,
  services: (after.services - before.services) / requests,
  database: (after.database - before.database) / requests,
});

function report(without: readonly PlatformCpu[], withTraining: readonly PlatformCpu[]): void {
  const parts: Readonly<Record<string, (cpu: PlatformCpu) => number>> = {
    gateway: ({ gateway }) => gateway,
    services: ({ services }) => services,
    database: ({ database }) => database,
    all: ({ gateway, services, database }) => gateway + services + database,
  };
  for (const [part, of] of Object.entries(parts)) {
    const ratios = withTraining.map((cpu, round) => of(cpu) / of(without[round] ?? cpu));
    console.log(
      `${part.padEnd(10)} ${median(without.map(of)).toFixed(2)} ms without, ${median(withTraining.map(of)).toFixed(2)} ms with training: ${median(ratios).toFixed(2)} times`,
    );
  }
}
