import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DEMO_PASSWORD, demoPerson } from '#server/demo-ids.ts';
import { canHang, hangPostgres, postmasterOf, whyNoHang } from '../support/hang.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

/** The size of each fault: small by default, larger with these variables (SHOW_FIGURES=1 prints the measurements). */
const size = (variable: string, byDefault: number): number => Number(process.env[variable] || byDefault);
const KILL_SECONDS = size('FAULTS_KILL_SECONDS', 2);
const RESTARTS = size('FAULTS_RESTARTS', 1);
const HANG_SECONDS = size('FAULTS_HANG_SECONDS', 2);
const REDIS_SECONDS = size('FAULTS_REDIS_SECONDS', 2);
const WRITERS = 12;
const MINUTE_MILLIS = 60_000;

let dataDir: string;
let platform: StartedProcess;
let redis: OwnRedis | undefined;
let token: string;
const urls = new Map<string, string>();
const urlOf = (part: string): string => urls.get(part) ?? '';

/** The ids of the acknowledged meals, by name. */
const acknowledged = new Map<string, string>();
const answers = new Map<number, number>();
let isWriting = true;
let writing: Promise<unknown>;

const authorization = () => ({ 'Content-Type': 'application/json', Authorization: `Bearer ${token}` });

/** Sends one meal until it is acknowledged, as a client that repeats the request with its key. */
async function logMeal(): Promise<void> {
  const foodName = `meal ${randomUUID()}`;
  const body = JSON.stringify({ foodName, calories: 100, protein: 3, carbs: 18, fats: 2 });
  const headers = { ...authorization(), 'Idempotency-Key': randomUUID() };
  for (;;) {
    const answer = await fetch(`${urlOf('nutrition')}/log`, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
    const status = answer?.status ?? 0;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    const json = (await answer?.json().catch(() => undefined)) as { id: string } | undefined;
    if (status === 201 && json) return void acknowledged.set(foodName, json.id);
    if (!isWriting) return;
    await sleep(50);
  }
}

/** Checks that each service is ready, a write is acknowledged, and a query over the services has no error. */
async function works(): Promise<boolean> {
  const services = [...urls.keys()].map((part) => fetch(`${urlOf(part)}/health/ready`));
  if (!(await Promise.all(services)).every(({ status }) => status === 200)) return false;
  const squad = await fetch(`${urlOf('squad')}/squads`, {
    method: 'POST',
    headers: authorization(),
    body: '{}',
  });
  if (squad.status !== 201) return false;
  // Ends the squad, because a user may host at most five squads, and this function is called repeatedly.
  const { id } = (await squad.json()) as { id: string };
  const ended = await fetch(`${urlOf('squad')}/squads/${id}/end`, {
    method: 'POST',
    headers: authorization(),
  });
  if (!ended.ok) return false;
  const answer = await fetch(`${urlOf('gateway')}/graphql`, {
    method: 'POST',
    headers: authorization(),
    body: JSON.stringify({
      query: `{ me { displayName gym { name } nutritionDay { totals { calories } } presence { online } } workouts(first: 1) { nodes { title } } }`,
    }),
  });
  const { errors } = (await answer.json()) as { errors?: unknown };
  return errors === undefined;
}

/** The longest recovery that is allowed. On an idle machine a recovery takes 5 s. */
const MAX_SECONDS = 15;

/** Seconds from the end of a fault until everything works again. */
async function secondsToRecover(fault: string): Promise<number> {
  const endedAt = performance.now();
  const before = acknowledged.size;
  while (!(await works().catch(() => false)) || acknowledged.size === before) await sleep(50);
  const seconds = (performance.now() - endedAt) / 1_000;
  if (process.env.SHOW_FIGURES)
    process.stdout.write(
      `${fault}: works again after ${seconds.toFixed(1)} s; ${acknowledged.size} acknowledged so far; answers ${JSON.stringify(Object.fromEntries(answers))}\n`,
    );
  return seconds;
}

/** Connects through the socket that the server's pid file names (https://www.postgresql.org/docs/current/storage-file-layout.html). */
async function connectToPostgres(): Promise<pg.Client> {
  const host = readFileSync(path.join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[4];
  const client = new pg.Client({ ...(host && { host }), user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

(canHang ? describe : describe.skip)(`the whole platform under writes${whyNoHang}`, () => {
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'platform-faults-'));
    redis = hasRedis ? await startRedis() : undefined;
    platform = startProcess([], {
      HOST: '127.0.0.1',
      ...ANY_PORTS,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'off',
      STOP_GRACE_PERIOD_MILLIS: '2000',
      ...(redis && { REDIS_URL: redis.url }),
    });
    await platform.printed(/Ready after/);
    for (const [, part, url] of platform.output().matchAll(/^ {2}(\w+) +(http:\S+)/gm)) urls.set(part!, url!);
    const login = await fetch(`${urlOf('identity')}/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'maya@iron.test', password: DEMO_PASSWORD }),
    });
    token = ((await login.json()) as { token: string }).token;
    writing = Promise.all(
      Array.from({ length: WRITERS }, async () => {
        while (isWriting) await logMeal();
      }),
    );
  }, 2 * MINUTE_MILLIS);
  afterAll(async () => {
    isWriting = false;
    await platform?.end('SIGKILL');
    await redis?.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it(
    'recovers after connections were ended in the middle of their work',
    async () => {
      const admin = await connectToPostgres();
      let ended = 0;
      const until = Date.now() + KILL_SECONDS * 1_000;
      while (Date.now() < until) {
        const { rowCount } = await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'platform_%' and state <> 'idle' and pid <> pg_backend_pid()`,
        );
        ended += rowCount ?? 0;
        await sleep(20);
      }
      await admin.end();
      expect(ended).toBeGreaterThan(WRITERS);
      expect(await secondsToRecover(`${ended} connections ended`)).toBeLessThan(MAX_SECONDS);
    },
    5 * MINUTE_MILLIS,
  );

  it(
    'recovers after PostgreSQL was killed',
    async () => {
      for (let restart = 1; restart <= RESTARTS; restart += 1) {
        const pid = postmasterOf(dataDir);
        process.kill(pid, 'SIGKILL');
        expect(await secondsToRecover(`PostgreSQL killed for the ${restart}. time`)).toBeLessThan(
          MAX_SECONDS,
        );
        expect(postmasterOf(dataDir)).not.toBe(pid);
      }
    },
    5 * MINUTE_MILLIS,
  );

  it(
    'recovers after PostgreSQL has hung',
    async () => {
      const postgres = hangPostgres(dataDir);
      await sleep(HANG_SECONDS * 1_000); // the length of the fault
      postgres.resume();
      expect(await secondsToRecover(`PostgreSQL hung for ${HANG_SECONDS} s`)).toBeLessThan(MAX_SECONDS);
    },
    5 * MINUTE_MILLIS,
  );

  (hasRedis ? describe : describe.skip)(
    `with Redis${hasRedis ? '' : ' (skipped: redis-server is not installed)'}`,
    () => {
      it('recovers after Redis has hung, and after a restart of Redis', async () => {
        redis!.hang();
        const before = acknowledged.size;
        await sleep(REDIS_SECONDS * 1_000); // the length of the fault
        expect(acknowledged.size).toBeGreaterThan(before); // nutrition needs no Redis
        redis!.resume();
        expect(await secondsToRecover(`Redis hung for ${REDIS_SECONDS} s`)).toBeLessThan(MAX_SECONDS);
        await redis!.restart();
        expect(await secondsToRecover('Redis restarted')).toBeLessThan(MAX_SECONDS);
      }, 300_000);
    },
  );

  it(
    'stores every acknowledged write exactly once',
    async () => {
      isWriting = false;
      await writing;
      const stored = new Map<string, string[]>();
      let page: string | undefined = `/history/${demoPerson('maya@iron.test').id}?limit=200`;
      while (page) {
        const response: Response = await fetch(urlOf('nutrition') + page, { headers: authorization() });
        expect(response.status).toBe(200);
        for (const { id, foodName } of (await response.json()) as { id: string; foodName: string }[])
          if (foodName.startsWith('meal ')) stored.set(foodName, [...(stored.get(foodName) ?? []), id]);
        page = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      }
      const lost = [...acknowledged].filter(([name, id]) => stored.get(name)?.[0] !== id);
      const doubled = [...stored].filter(([, ids]) => ids.length > 1);
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      expect(acknowledged.size).toBeGreaterThan(0);
      expect([...answers.keys()].filter((status) => ![0, 201, 503].includes(status))).toEqual([]);
    },
    5 * MINUTE_MILLIS,
  );

  it(
    'ends on SIGTERM',
    async () => {
      const startedAt = performance.now();
      expect(await platform.end('SIGTERM')).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(15_000));
    },
    MINUTE_MILLIS,
  );
});
