/**
 * Figures of the identity service on this machine, from a service and a database of its own:
 *
 *     node scripts/node24.mjs bench/identity.ts
 *
 * - whether the time of a refused log-in reveals if an address has an account: 200 attempts with a known address, and 200
 *   with unknown addresses
 * - the first and the last page of 100,000 users
 * - the latency of other requests while 100 clients log in without a pause
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { startEmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { identity } from '../subgraphs/identity/subgraph.ts';

const TRIES = 200;
const USERS = 100_000;

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'measure-identity-'));
const postgres = await startEmbeddedPostgres({ dataDir: path.join(dataDir, 'postgres'), durable: true });
const { settings } = settingsOf(identity, {
  DATA_DIR: dataDir,
  HOST: '127.0.0.1',
  DEMO: 'on',
  DEMO_HISTORY: 'off',
  LOG_LEVEL: 'silent',
  RATE_LIMITS: 'off',
});
const service = await startSubgraph(identity, { settings, port: 0, databaseServer: postgres.server });
const client = new pg.Client(connectionTo(postgres.server, 'platform_identity'));
await client.connect();
try {
  await measureLogin();
  await measurePaging();
  await measureStorm();
} finally {
  await client.end();
  await service.stop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function measureLogin(): Promise<void> {
  const known = await register();
  const timed = async (email: string) => {
    // Failed log-ins are forgotten before each attempt, because a locked account is answered by another path.
    await client.query('delete from login_failures');
    const startedAt = performance.now();
    const { status } = await post('/auth/login', { email, password: 'a-wrong-password' });
    if (status !== 401) throw new Error(`expected 401, got ${status}`);
    return performance.now() - startedAt;
  };
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await timed(known.email);
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let turn = 0; turn < TRIES; turn += 1) {
    times.known.push(await timed(known.email));
    times.unknown.push(await timed(`user-${randomUUID()}@example.test`));
  }
  const [one, other] = [median(times.known), median(times.unknown)];
  console.log(
    `log-in refused, ${TRIES} tries each: known address ${millis(one)}, unknown ${millis(other)}, difference ${((Math.abs(one - other) / one) * 100).toFixed(1)} %`,
  );
}

async function measurePaging(): Promise<void> {
  await client.query(
    `insert into user_account (id, email, display_name, role, gym_id, qr_code, created_at, updated_at)
     select gen_random_uuid(), 'many-' || n || '@example.test', 'Many ' || n, 'MEMBER', null, 'many-' || n, now(), now() from generate_series(1, ${USERS}) n`,
  );
  await client.query('analyze user_account');
  const token = await tokenOf('super@demo.test', 'demo-password-1');
  const headers = { Authorization: `Bearer ${token}` };
  const page = async (at: string) => {
    const startedAt = performance.now();
    const response = await fetch(service.url + at, { headers });
    await response.json();
    return {
      took: performance.now() - startedAt,
      next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1],
    };
  };
  const all: number[] = [];
  let lastFull = '/users/all?limit=200';
  for (let at: string | undefined = lastFull; at;) {
    const { took, next } = await page(at);
    all.push(took);
    if (next) lastFull = at;
    at = next;
  }
  const repeated = async (at: string) => median(await series(50, async () => (await page(at)).took));
  console.log(
    `users/all, ${USERS.toLocaleString('en')} users, 200 per page: first page ${millis(await repeated('/users/all?limit=200'))}, last full page ${millis(await repeated(lastFull))}; all ${all.length} pages, median ${millis(median(all))}, slowest ${millis(Math.max(...all))}`,
  );
}

async function measureStorm(): Promise<void> {
  const token = await tokenOf('maya@iron.test', 'demo-password-1');
  const other = () => timedFetch('/users/me', { headers: { Authorization: `Bearer ${token}` } });
  const calm = await series(200, other);
  let storming = true;
  let logins = 0;
  const storm = Promise.all(
    Array.from({ length: 100 }, async () => {
      while (storming)
        if (
          (await post('/auth/login', { email: 'leo@iron.test', password: 'demo-password-1' })).status === 200
        )
          logins += 1;
    }),
  );
  const startedAt = performance.now();
  const stormy = await series(200, other);
  const seconds = (performance.now() - startedAt) / 1000;
  storming = false;
  await storm;
  console.log(
    `GET /users/me: calm ${millis(median(calm))}, p95 ${millis(at95(calm))}; while 100 clients log in without a pause (${Math.round(logins / seconds)} log-ins a second): ${millis(median(stormy))}, p95 ${millis(at95(stormy))}`,
  );
}

async function register(): Promise<{ email: string; password: string }> {
  const account = { email: `user-${randomUUID()}@example.test`, password: `pass-${randomUUID()}` };
  await post('/auth/register', { ...account, displayName: 'Measured' });
  return account;
}

async function tokenOf(email: string, password: string): Promise<string> {
  return ((await (await post('/auth/login', { email, password })).json()) as { token: string }).token;
}

function post(at: string, body: object): Promise<Response> {
  return fetch(service.url + at, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function timedFetch(at: string, init: RequestInit): Promise<number> {
  const startedAt = performance.now();
  await (await fetch(service.url + at, init)).arrayBuffer();
  return performance.now() - startedAt;
}

async function series(times: number, measure: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let time = 0; time < times; time += 1) results.push(await measure());
  return results;
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}
function median(values: readonly number[]): number {
  return sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;
}
function at95(values: readonly number[]): number {
  return sorted(values)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}
function millis(value: number): string {
  return `${value.toFixed(1)} ms`;
}
