/**
 * The CPU of a service per request of a gateway, as a multiple of that of a baseline without GraphQL:
 * `npm run bench:services`. All variants take turns, so that other load of the machine affects each of them.
 * `ROUNDS=20` measures longer.
 */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Load, median } from '../gateway/load.ts';
import { cpuMillisOf } from '../gateway/processes.ts';
import { headers, startVariant, VARIANTS, type StartedVariant, type Variant } from './variants.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 9);
const REQUESTS = Number(process.env.REQUESTS ?? 1_500);
const CONNECTIONS = 8;

const ENTITIES = (name: string) =>
  `query ${name}($representations:[_Any!]!){_entities(representations:$representations){...on WorkoutRoutine{title difficulty durationMinutes createdAt}}}`;
const representations = (count: number) => ({
  representations: Array.from({ length: count }, (_, index) => ({
    __typename: 'WorkoutRoutine',
    id: `id${index}`,
  })),
});
const LIST =
  'query List($first:Int!){workouts(first:$first){nodes{id title description difficulty category targetMuscles durationMinutes createdAt}pageInfo{hasNextPage endCursor}}}';
const REQUEST_BODIES: Readonly<Record<string, object>> = {
  'entity fetch of 1': { query: ENTITIES('One'), operationName: 'One', variables: representations(1) },
  'entity fetch of 20': {
    query: ENTITIES('Twenty'),
    operationName: 'Twenty',
    variables: representations(20),
  },
  'list of 50': { query: LIST, operationName: 'List', variables: { first: 50 } },
};

const started = new Map<Variant, StartedVariant>();
try {
  for (const variant of VARIANTS.slice(1)) started.set(variant, await startVariant(variant));
  started.set('baseline', await startVariant('baseline', await answers()));
  for (const [name, body] of Object.entries(REQUEST_BODIES)) report(name, await measure(body));
} finally {
  for (const { stop } of started.values()) await stop();
}

/** The answer to each request, by the name of its operation. @throws if variants answer differently */
async function answers(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const body of Object.values(REQUEST_BODIES)) {
    const texts: string[] = [];
    for (const { url } of started.values())
      // The first request is answered through Express, which stores the query for the fast path; the second by the fast
      // path.
      for (let time = 0; time < 2; time += 1) texts.push(await ask(url, body));
    const [answer = ''] = texts;
    if (!answer.startsWith('{"data"') || texts.some((one) => one !== answer))
      throw new Error(`The variants answer differently:\n${texts.join('\n')}`);
    all[(body as { operationName: string }).operationName] = answer;
  }
  return all;
}

/** Sends a request without `fetch`, because `fetch` asks for a compressed answer, and gateways do not. */
function ask(url: string, body: object): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers: { ...headers, 'content-length': bytes.length } }, (response) => {
      text(response).then(resolve, reject);
    })
      .once('error', reject)
      .end(bytes);
  });
}

/** Microseconds of CPU per request, in each round. */
async function measure(body: object): Promise<ReadonlyMap<Variant, readonly number[]>> {
  const loads = new Map(
    VARIANTS.map((variant) => {
      const url = started.get(variant)?.url ?? '';
      return [variant, new Load({ url, bodies: [JSON.stringify(body)], headers, connections: CONNECTIONS })];
    }),
  );
  const figures = new Map<Variant, number[]>(VARIANTS.map((variant) => [variant, []]));
  for (let round = -1; round < ROUNDS; round += 1)
    // the first round warms up
    for (const [variant, load] of loads) {
      const pid = started.get(variant)?.pid ?? 0;
      const before = cpuMillisOf(pid);
      const { requests, failures } = await load.pressure(30, REQUESTS);
      if (failures > 0) throw new Error(`${variant}: ${failures} failures`);
      if (round >= 0) figures.get(variant)?.push(((cpuMillisOf(pid) - before) * 1000) / requests);
    }
  for (const load of loads.values()) load.close();
  return figures;
}

function report(name: string, figures: ReadonlyMap<Variant, readonly number[]>): void {
  const baselines = figures.get('baseline') ?? [];
  console.log(`\n${name}`);
  for (const [variant, micros] of figures) {
    const ratios = micros.map((value, round) => value / (baselines[round] ?? Number.NaN));
    const ratioOfLowest = Math.min(...micros) / Math.min(...baselines);
    console.log(
      `  ${variant.padEnd(12)} ${median(micros).toFixed(0).padStart(5)} µs, ${median(ratios).toFixed(2)} times the baseline (lowest by lowest: ${ratioOfLowest.toFixed(2)})`,
    );
  }
}
