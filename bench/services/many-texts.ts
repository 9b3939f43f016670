/**
 * The fast path of a service for texts that are not in its caches: `npm run bench:services-texts`.
 *
 * 1. Memory over 200,000 requests with 20,000 distinct texts (`REQUESTS=`): every tenth request has a new text, the others
 *    repeat one of the latest 500.
 * 2. CPU of hostile requests with the fast path as a multiple of the same requests without it.
 */
import { Load, median } from '../gateway/load.ts';
import { cpuMillisOf, memoryMibOf } from '../gateway/processes.ts';
import { headers, startVariant, type StartedVariant } from './variants.ts';

const REQUESTS = Number(process.env.REQUESTS ?? 200_000);
const REQUESTS_PER_TEXT = 10;
const RECENT_TEXTS = 500;
const STEPS = 10;
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const CONNECTIONS = 8;

let made = 0;
/** A text that no request has had before. */
const newText = (more = ''): string =>
  `query Text${(made += 1)} { workouts(first: 5) { nodes { id own${made}: title ${more} } } }`;
const body = (query: string, variables: object = {}): string => JSON.stringify({ query, variables });
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const repeated = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(' ');

/** The bodies of a round. A text that is not new is known to the fast path after the first request. */
const HOSTILE: Readonly<Record<string, () => string[]>> = {
  'new texts': () => Array.from({ length: 300 }, () => body(newText())),
  'new texts of 8 KB': () =>
    Array.from({ length: 60 }, () => body(newText(repeated(400, (index) => `field${index}: title`)))),
  'a known text with a literal of 15,000 characters': () =>
    Array.from({ length: 300 }, () =>
      body(`{ workouts(first: 5, search: "${'x'.repeat(15_000)}") { nodes { id } } }`),
    ),
  'a known text with 90 KB of unused variables': () =>
    Array.from({ length: 100 }, () =>
      body('query Known { workouts(first: 5) { nodes { id } } }', { unused: 'x'.repeat(90_000) }),
    ),
  'a known text with variables of 1,000 levels': () =>
    Array.from({ length: 300 }, () =>
      body('query Known { workouts(first: 5) { nodes { id } } }', { unused: deep(1_000) }),
    ),
  'a text that is not valid': () =>
    Array.from({ length: 300 }, () => body('{ workouts(first: 5) { nodes { no } } }')),
  'a text that is not GraphQL': () => Array.from({ length: 300 }, () => body('{'.repeat(2_000))),
  'a body that is not JSON': () => Array.from({ length: 300 }, () => '['.repeat(20_000)),
};

const [compiled, express] = [await startVariant('compiled'), await startVariant('express')];
try {
  await reportMemory(compiled);
  for (const [name, bodies] of Object.entries(HOSTILE)) await reportHostile(name, bodies);
} finally {
  await Promise.all([compiled.stop(), express.stop()]);
}

async function reportMemory({ url, pid }: StartedVariant): Promise<void> {
  const texts: string[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    const bodies = Array.from({ length: REQUESTS / STEPS }, (_, index) => {
      if (index % REQUESTS_PER_TEXT === 0) texts.push(newText());
      const age = index % REQUESTS_PER_TEXT === 0 ? 1 : 1 + Math.floor(Math.random() * RECENT_TEXTS);
      return body(texts.at(-Math.min(age, texts.length)) ?? '');
    });
    const load = new Load({ url, bodies, headers, connections: CONNECTIONS });
    const { requests, failures } = await load.pressure(600, bodies.length);
    load.close();
    if (failures > 0) throw new Error(`${failures} requests failed`);
    console.log(
      `${step * requests} requests, ${texts.length} texts: ${memoryMibOf(pid).toFixed(0)} MiB resident`,
    );
  }
}

async function reportHostile(name: string, bodiesOf: () => string[]): Promise<void> {
  const ratios: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const [withFastPath, without] = [
      await microsOf(compiled, bodiesOf()),
      await microsOf(express, bodiesOf()),
    ];
    if (round >= 0) ratios.push(withFastPath / without); // the first round warms up
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  console.log(
    `${name}: ${median(sorted).toFixed(2)}x of express (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`,
  );
}

/** Microseconds of CPU per request. */
async function microsOf({ url, pid }: StartedVariant, bodies: string[]): Promise<number> {
  const load = new Load({ url, bodies, headers, connections: CONNECTIONS });
  const before = cpuMillisOf(pid);
  const { requests } = await load.pressure(60, bodies.length);
  load.close();
  return ((cpuMillisOf(pid) - before) * 1000) / requests;
}
