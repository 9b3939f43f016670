/**
 * How work that takes much processor time delays other callers: `npm run bench:storm`. While 40 clients log in without a
 * pause, or 8 upload pictures, or both (the storm), one caller sends requests at a constant pace. The result is the median
 * of their latency as a multiple of the median without the storm; rounds with and without it take turns.
 *
 * `BEFORE=folder` then measures a second tree of the code, as in `bench/rest/run.ts`. `ROUNDS=10` measures longer.
 */
import { pictures } from '../../tests/support/pictures.ts';
import { Load, median, percentile } from '../gateway/load.ts';
import { jsonHeaders, newMembers } from '../platform/people.ts';
import { startPlatform } from '../platform/running-platform.ts';

type Target = ConstructorParameters<typeof Load>[0];

const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** The length of a round, the time of the storm before it, and the requests that the other caller sends a second. */
const [SECONDS, LEAD_SECONDS, A_SECOND] = [2, 0.5, 40];
const HOME =
  '{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }';

await measureTree('this tree', undefined);
if (process.env.BEFORE) await measureTree('before', process.env.BEFORE);

async function measureTree(title: string, tree: string | undefined): Promise<void> {
  console.log(`\n${title}`);
  const platform = await startPlatform({ tree });
  try {
    const tokens = (await newMembers(platform.url, 12)).map(({ token }) => token);
    const picture = await pictures.normal('jpeg', 2_000, 1_500);
    const logIn = logIns(platform.url);
    const upload = uploads(platform.url, tokens, picture);
    const storms = { '40 log-ins': [logIn], '8 pictures': [upload], both: [logIn, upload] };
    for (const [storm, targets] of Object.entries(storms))
      for (const [request, other] of Object.entries(othersOf(platform.url, tokens)))
        console.log(`  ${request}, ${storm} at once: ${await measure(other, targets)}`);
  } finally {
    await platform.stop();
  }
}

function logIns(url: string): Target {
  return {
    url: `${url}/identity/auth/login`,
    bodies: ['maya@iron.test', 'leo@iron.test'].map((email) =>
      JSON.stringify({ email, password: 'demo-password-1' }),
    ),
    headers: jsonHeaders(),
    connections: 40,
  };
}

function uploads(url: string, tokens: readonly string[], picture: Buffer): Target {
  const boundary = 'bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return {
    url: `${url}/identity/profile/upload`,
    bodies: [Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)])],
    headers: tokens.map((token) => ({
      'content-type': `multipart/form-data; boundary=${boundary}`,
      authorization: `Bearer ${token}`,
    })),
    connections: 8,
  };
}

function othersOf(url: string, tokens: readonly string[]): Record<string, Target> {
  const headers = tokens.map((token) => jsonHeaders(token));
  const one = { headers, connections: 4 };
  return {
    'GET /users/me': { ...one, url: `${url}/identity/users/me`, method: 'GET', bodies: [''] },
    'home query': { ...one, url: `${url}/graphql`, bodies: [JSON.stringify({ query: HOME })] },
  };
}

async function measure(other: Target, storm: readonly Target[]): Promise<string> {
  const load = new Load(other);
  await load.pressure(1, 100); // warms up
  const rounds: { calm: number; stormy: number; worst: number; done: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const calm = await load.steady(SECONDS, A_SECOND, LEAD_SECONDS);
    const storms = storm.map((target) => new Load(target));
    const running = storms.map((one) => one.pressure(SECONDS + LEAD_SECONDS + 0.5));
    const stormy = await load.steady(SECONDS, A_SECOND, LEAD_SECONDS);
    const results = await Promise.all(running);
    for (const one of storms) one.close();
    if (calm.failures + stormy.failures > 0) throw new Error('requests failed');
    rounds.push({
      calm: percentile(calm.latencies, 0.5),
      stormy: percentile(stormy.latencies, 0.5),
      worst: percentile(stormy.latencies, 0.95),
      done: results.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0),
    });
  }
  load.close();
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const ratio = of(({ calm, stormy }) => stormy / calm).toFixed(2);
  return `${ratio} times the latency without the storm (median ${of(({ calm }) => calm).toFixed(1)} ms without, ${of(({ stormy }) => stormy).toFixed(1)} ms with it, p95 ${of(({ worst }) => worst).toFixed(1)} ms with it; the storm sent ${of(({ done }) => done).toFixed(0)} requests a second)`;
}
