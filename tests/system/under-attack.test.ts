import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import { fragmentBombs, idleSockets, slowBodies } from './support/attackers.ts';

/**
 * The size of the attack. The large run, on an idle machine:
 * ATTACK_SLOW_BODIES=200 ATTACK_SOCKETS=500 ATTACK_SECONDS=30 ATTACK_MAX_RATIO=2 npm test -- tests/system/under-attack.test.ts
 */
const size = (variable: string, byDefault: number): number => Number(process.env[variable] || byDefault);
const SLOW_BODIES = size('ATTACK_SLOW_BODIES', 40);
const SOCKETS = size('ATTACK_SOCKETS', 100);
const SECONDS = size('ATTACK_SECONDS', 14);
/** The duration of each of the two measurements without the attack. */
const CALM_SECONDS = SECONDS / 5;
/** The highest ratio of the median times with and without the attack. It has a margin for a machine that runs other tests. */
const MAX_RATIO = size('ATTACK_MAX_RATIO', 5);

/** Not the attackers' address, because limits are per address. */
const VICTIM = '127.0.0.2';
/** Below the limit of a user, 600 operations a minute. */
const QUERIES_PER_SECOND = 8;

const HOME = `{ me { displayName role gym { name config { theme features } locations { name capacity occupancy { people level } } }
  nutritionDay { totals { calories } } presence { online } } workouts(first: 3) { nodes { title difficulty } } }`;

let platform: StartedProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'under-attack-'));
  // The attackers' address must not be a trusted proxy's, because a proxy may have more connections than a client.
  const env = { DATA_DIR: dataDir, HOST: '127.0.0.1', TRUSTED_PROXIES: '192.0.2.1', ...ANY_PORTS };
  platform = startProcess([], env);
  await platform.printed(/Ready after/);
});
afterAll(async () => {
  await platform.end();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

const urlOf = async (part: string): Promise<string> =>
  (await platform.printed(new RegExp(`^ {2}${part} +(http://\\S+)`, 'm')))[1] ?? '';

it(`during an attack, another client waits less than ${MAX_RATIO} times as long as without it`, async () => {
  const gateway = await urlOf('gateway');
  const identity = await urlOf('identity');
  const victim = await loggedIn(gateway);
  await victim.homeTimes(3); // The first queries connect, and are planned.
  const calmBefore = await victim.homeTimes(CALM_SECONDS);

  const doors = [`${gateway}/graphql`, `${gateway}/identity/auth/login`, `${identity}/auth/login`];
  const bodies = slowBodies(doors, SLOW_BODIES);
  const sockets = await idleSockets(gateway, SOCKETS);
  const bombs = await fragmentBombs(gateway);
  const attacked = await victim.homeTimes(SECONDS);
  const codes = [...bombs.codes()];
  const openSockets = sockets.open();
  for (const attack of [bodies, sockets, bombs]) attack.stop();
  const calmAfter = await victim.homeTimes(CALM_SECONDS);
  victim.stop();

  const calm = median([...calmBefore, ...calmAfter]);
  const figures = {
    calmMillis: calm,
    attackedMillis: median(attacked),
    attackedWorstMillis: Math.max(...attacked),
    bodiesCut: bodies.cut(),
    bombs: codes.length,
  };
  if (process.env.SHOW_FIGURES) console.log(figures);
  expect(figures.attackedMillis / calm).toBeLessThan(MAX_RATIO);
  // The attack took place: the bodies are cut after 10 s, and every bomb is refused.
  expect(figures.bodiesCut).toBeGreaterThanOrEqual(SLOW_BODIES);
  expect(openSockets).toBe(SOCKETS);
  expect(codes.length).toBeGreaterThan(SECONDS);
  expect(new Set(codes)).toEqual(new Set(['OPERATION_LIMIT_EXCEEDED']));
}, 300_000);

interface Victim {
  /** Repeats the home query for this time, and returns the duration of each in milliseconds. */
  homeTimes(seconds: number): Promise<number[]>;
  stop(): void;
}

async function loggedIn(gateway: string): Promise<Victim> {
  const agent = new http.Agent({ keepAlive: true, localAddress: VICTIM });
  const ask = (query: string, token?: string): Promise<{ data: { login: { token: string } } }> =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const body = JSON.stringify({ query });
      const request = http.request(
        `${gateway}/graphql`,
        { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => {
            const read = JSON.parse(text);
            if (answer.statusCode === 200 && !read.errors) resolve(read);
            else reject(new Error(`a query was answered with ${answer.statusCode}: ${text.slice(0, 500)}`));
          });
        },
      );
      request.once('error', reject).end(body);
    });
  const { data } = await ask(
    `mutation { login(input: { email: "maya@iron.test", password: "${DEMO_PASSWORD}" }) { token } }`,
  );
  return {
    async homeTimes(seconds) {
      const times: number[] = [];
      for (let count = 0; count < seconds * QUERIES_PER_SECOND; count += 1) {
        const startedAt = performance.now();
        await ask(HOME, data.login.token);
        const millis = performance.now() - startedAt;
        times.push(millis);
        await after(Math.max(0, 1_000 / QUERIES_PER_SECOND - millis));
      }
      return times;
    },
    stop: () => agent.destroy(),
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
