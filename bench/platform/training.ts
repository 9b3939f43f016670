/**
 * Processor time of the home query with the next workout and the trainings of last week, as a multiple of that without them,
 * and of the progress of five years as a multiple of that of a month: `npm run bench:platform -- training`. The queries take
 * turns on one platform, whose members train five times a week and have routines of their own.
 */
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { Load, median } from '../gateway/load.ts';
import { jsonHeaders, logTrainings, newMembers, post } from './people.ts';
import { startPlatform, type PlatformCpu, type RunningPlatform } from './running-platform.ts';
import { homeQuery } from './workloads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
const REQUESTS = Number(process.env.REQUESTS ?? 300);
const MEMBERS = Number(process.env.MEMBERS ?? 24);
/** A folder for CPU profiles of the gateway and the services. */
const { PROFILE } = process.env;
const NODE_OPTIONS = PROFILE ? ['--cpu-prof', `--cpu-prof-dir=${PROFILE}`] : [];
const DAY = 86_400_000; // milliseconds
const EXERCISE = libraryExerciseId('Barbell Bench Press');
const NEXT_AND_WEEK =
  'nextWorkout { title durationMinutes } trainingSummary(days: 7) { count minutes volumeKg streakWeeks }';
/** `ONLY=progress` leaves out the home query. */
const { ONLY } = process.env;
/** The number of members who have five years of trainings; the others have one year. */
const VETERANS = 4;

export async function compareTraining(): Promise<void> {
  const platform = await startPlatform({ nodeOptions: NODE_OPTIONS });
  try {
    const now = Date.now();
    const members = await newMembers(platform.url, MEMBERS);
    const tokens = members.map(({ token }) => token);
    for (const [index, token] of tokens.entries()) {
      await logTrainings(platform.url, token, now, index < VETERANS ? 5 : 1);
      for (const title of ['Push', 'Pull', 'Legs'])
        await post(`${platform.url}/content/workouts`, token, {
          title,
          difficulty: 'Beginner',
          category: 'Strength',
          exercises: [{ entries: [{ exerciseId: EXERCISE, sets: [{ reps: 8 }, { reps: 8 }] }] }],
        });
    }
    if (ONLY !== 'progress')
      await compare(platform, tokens, {
        'home query with a list of routines': homeQuery(''),
        'the same with the next workout and last week instead of the list': homeQuery(NEXT_AND_WEEK, ''),
        'the same with the list, the next workout, last week and the latest trainings': homeQuery(
          `${NEXT_AND_WEEK} trainings(first: 5) { nodes { title startedAt minutes volumeKg } }`,
        ),
      });
    const progress = (range: string) =>
      `{ exercise(id: "${EXERCISE}") { name progress(metric: E1RM${range}) { points { date value trainingId } } } }`;
    const month = new Date(now - 30 * DAY).toISOString().slice(0, 10);
    await compare(platform, tokens.slice(0, VETERANS), {
      'progress of a month': progress(`, from: "${month}"`),
      'progress of five years': progress(''),
      'progress of five years by week': progress(', bucket: WEEK'),
      'progress of five years by month': progress(', bucket: MONTH'),
    });
  } finally {
    await platform.stop();
  }
}

/** Prints the processor time of each query as a multiple of that of the first. */
async function compare(
  platform: RunningPlatform,
  tokens: readonly string[],
  queries: Readonly<Record<string, string>>,
): Promise<void> {
  const loads = Object.entries(queries).map(([name, query]) => {
    const load = new Load({
      url: `${platform.url}/graphql`,
      bodies: [JSON.stringify({ query })],
      headers: tokens.map((token) => jsonHeaders(token)),
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
  report(loads);
}

const perRequest = (before: PlatformCpu, after: PlatformCpu, requests: number): PlatformCpu => ({
  gateway: (after.gateway - before.gateway) / requests,
  services: (after.services - before.services) / requests,
  database: (after.database - before.database) / requests,
});

function report(loads: readonly { name: string; figures: readonly PlatformCpu[] }[]): void {
  const [first, ...others] = loads;
  if (!first) throw new Error('Expected a query.');
  const parts: Readonly<Record<string, (cpu: PlatformCpu) => number>> = {
    gateway: ({ gateway }) => gateway,
    services: ({ services }) => services,
    database: ({ database }) => database,
    all: ({ gateway, services, database }) => gateway + services + database,
  };
  for (const { name, figures } of others) {
    console.log(`${name}, as a multiple of: ${first.name}`);
    for (const [part, of] of Object.entries(parts)) {
      const ratios = figures.map((cpu, round) => of(cpu) / of(first.figures[round] ?? cpu));
      console.log(
        `${part.padEnd(10)} ${median(first.figures.map(of)).toFixed(2)} ms, ${median(figures.map(of)).toFixed(2)} ms: ${median(ratios).toFixed(2)} times`,
      );
    }
  }
}
