/**
 * Everyday requests to the whole platform: `npm run bench:platform`. The six services and their database are one process
 * and its children, the gateway is another process, so that their processor times can be read separately.
 */
import { pictures } from '../../tests/support/pictures.ts';
import { median, percentile, pressure, steady, type LoadOptions } from '../gateway/load.ts';
import { writePlatform, type PlatformFigures } from '../gateway/report.ts';
import { jsonHeaders as json, login, newLocation, newMembers } from './people.ts';
import { startPlatform } from './running-platform.ts';

const [SECONDS, STEADY_SECONDS, ROUNDS] = [3, 4, 3];

const platform = await startPlatform();
const { url } = platform;
try {
  const figures: PlatformFigures[] = [];
  for (const [name, options] of await errands()) {
    const one = await measure(name, options);
    console.log(one);
    figures.push(one);
  }
  await writePlatform(figures);
} finally {
  await platform.stop();
}

type Errand = Pick<LoadOptions, 'url' | 'bodies' | 'headers' | 'connections'>;

async function errands(): Promise<[string, Errand][]> {
  const [maya, staff] = await Promise.all([login(url, 'maya@iron.test'), login(url, 'admin@iron.test')]);
  const members = await newMembers(url, 24);
  const tokens = members.map(({ token }) => token);
  const graph = (
    query: string,
    token?: string | readonly string[],
    variables: object[] = [{}],
    connections = 10,
  ): Errand => ({
    url: `${url}/graphql`,
    bodies: variables.map((one) => JSON.stringify({ query, variables: one })),
    // Different members, because the gateway sends equal concurrent queries of one member once.
    headers: typeof token === 'object' ? token.map((one) => json(one)) : json(token),
    connections,
  });
  const locationId = await newLocation(url, staff, 'Hall');
  const picture = await pictures.honest('jpeg', 800, 600);
  return [
    [
      'log-in',
      graph(
        `mutation ($email: String!) { login(input: { email: $email, password: "demo-password-1" }) { token user { id } } }`,
        undefined,
        [{ email: 'maya@iron.test' }, { email: 'leo@iron.test' }],
      ),
    ],
    [
      'check-in and check-out',
      graph(
        'mutation ($in: CheckInInput!, $out: CheckOutInput) { checkIn(input: $in) { id checkedInAt location { name } } checkOut(input: $out) { id checkedOutAt } }',
        staff,
        members.map(({ qrCode }) => ({ in: { qrCode, locationId }, out: { qrCode } })),
      ),
    ],
    [
      'home query of the README',
      graph(
        '{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } } nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }',
        tokens,
      ),
    ],
    [
      'history: 200 entries',
      graph(
        '{ me { foodLogs(first: 200) { nodes { id foodName calories protein carbs fats mealType loggedAt } pageInfo { hasNextPage } } } }',
        tokens,
      ),
    ],
    [
      `avatar of ${Math.round(picture.length / 1024)} KiB`,
      { ...multipart(picture, maya), url: `${url}/identity/profile/upload`, connections: 4 },
    ],
  ];
}

function multipart(picture: Buffer, token: string): Pick<Errand, 'bodies' | 'headers'> {
  const boundary = 'bench-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return {
    bodies: [Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)])],
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      authorization: `Bearer ${token}`,
    },
  };
}

async function measure(name: string, errand: Errand): Promise<PlatformFigures> {
  await pressure({ ...errand, seconds: 1.5 });
  const rounds: {
    perSecond: number;
    failures: number;
    gateway: number;
    services: number;
    database: number;
  }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = platform.cpu();
    const { requests, seconds, failures } = await pressure({ ...errand, seconds: SECONDS });
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
  const { latencies } = await steady({ ...errand, connections: 50, seconds: STEADY_SECONDS }, perSecond / 2);
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
