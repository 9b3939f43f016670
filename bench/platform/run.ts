/**
 * Everyday requests to the whole platform: `npm run bench:platform`. The six services and their database are one process
 * and its children, the gateway is another process, so that their processor times can be read separately.
 */
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pictures } from '../../tests/support/pictures.ts';
import { startProcess } from '../../tests/support/process.ts';
import { median, percentile, pressure, steady, type LoadOptions } from '../gateway/load.ts';
import { cpuMillisOf, freePort, memoryMibOf } from '../gateway/processes.ts';
import { writePlatform, type PlatformFigures } from '../gateway/report.ts';

const SERVICES = ['identity', 'gym', 'wizard', 'nutrition', 'content', 'squad'];
const [SECONDS, STEADY_SECONDS, ROUNDS] = [3, 4, 3];
const PASSWORD = 'demo-password-1';

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-platform-'));
const ports = Object.fromEntries(
  await Promise.all([...SERVICES, 'gateway', 'own'].map(async (name) => [name, await freePort()] as const)),
) as Record<string, number>;
const common = { DATA_DIR: dataDir, HOST: '127.0.0.1', RATE_LIMITS: 'off', DEMO: 'on', LOG_LEVEL: 'info' };
const services = startProcess([], {
  ...common,
  ...Object.fromEntries(
    [...SERVICES, 'gateway'].map((name) => [`${name.toUpperCase()}_PORT`, String(ports[name])]),
  ),
});
await services.printed(/Ready after/);
const gateway = startProcess(['gateway'], {
  ...common,
  ...Object.fromEntries(
    SERVICES.map((name) => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${ports[name]}`]),
  ),
  GATEWAY_PORT: String(ports.own),
});
const url = `http://127.0.0.1:${ports.own}`;
try {
  await gateway.printed(/ready/i);
  const figures: PlatformFigures[] = [];
  for (const [name, options] of await errands()) {
    const one = await measure(name, options);
    console.log(one);
    figures.push(one);
  }
  await writePlatform(figures);
} finally {
  await gateway.end();
  await services.end();
  await rm(dataDir, { recursive: true, force: true });
}

type Errand = Pick<LoadOptions, 'url' | 'bodies' | 'headers' | 'connections'>;

async function errands(): Promise<[string, Errand][]> {
  const [maya, staff] = await Promise.all([login('maya@iron.test'), login('admin@iron.test')]);
  const json = (token?: string) => ({
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  });
  const members = await Promise.all(Array.from({ length: 24 }, newMember));
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
    headers: typeof token === 'object' ? token.map(json) : json(token),
    connections,
  });
  const { id: locationId } = await post('/gym/locations', staff, {
    name: 'Hall',
    timezone: 'UTC',
    capacity: 10_000,
  });
  await Promise.all(tokens.map(logMeals));
  const picture = await pictures.honest('jpeg', 800, 600);
  return [
    [
      'log-in',
      graph(
        `mutation ($email: String!) { login(input: { email: $email, password: "${PASSWORD}" }) { token user { id } } }`,
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
    const before = cpu();
    const { requests, seconds, failures } = await pressure({ ...errand, seconds: SECONDS });
    const after = cpu();
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
    memoryMib: memoryMibOf(gateway.child.pid ?? 0),
  };
}

function cpu(): { gateway: number; services: number; database: number } {
  const [file = ''] = globSync(path.join(dataDir, '**/postmaster.pid'));
  const database = cpuMillisOf(Number(readFileSync(file, 'utf8').split('\n')[0]));
  const all = cpuMillisOf(services.child.pid ?? 0);
  return {
    gateway: cpuMillisOf(gateway.child.pid ?? 0),
    services: isBelow(services.child.pid ?? 0, file) ? all - database : all,
    database,
  };
}

/** Whether the database's processes are counted with the services'. */
function isBelow(parent: number, pidFile: string): boolean {
  for (let pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]); pid > 1;) {
    if (pid === parent) return true;
    pid = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  }
  return false;
}

async function post(at: string, token: string | undefined, body: object): Promise<Record<string, string>> {
  const response = await fetch(url + at, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${at}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

async function login(email: string, password = PASSWORD): Promise<string> {
  return (await post('/identity/auth/login', undefined, { email, password })).token ?? '';
}

async function newMember(_: unknown, index: number): Promise<{ token: string; qrCode: string }> {
  const account = {
    email: `bench-${index}@example.test`,
    password: 'a-long-password-1',
    displayName: 'Bench',
  };
  await post('/identity/auth/register', undefined, {
    ...account,
    gymId: '01900000-0000-7000-8000-000000000001',
  });
  const token = await login(account.email, account.password);
  const me = await fetch(`${url}/identity/users/me`, { headers: { authorization: `Bearer ${token}` } });
  return { token, qrCode: ((await me.json()) as { qrCode: string }).qrCode };
}

async function logMeals(token: string): Promise<void> {
  for (let part = 0; part < 10; part += 1)
    await post('/nutrition/log', token, {
      entries: Array.from({ length: 20 }, (_, index) => ({
        foodName: `Oatmeal ${part}-${index}`,
        calories: 158,
        protein: 5.5,
        carbs: 27,
        fats: 3.2,
      })),
    });
}
