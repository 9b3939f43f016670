/**
 * How presence grows with instances: `npm run bench:presence`. Starts a Redis of its own, and 1, 2, 4 and 8 instances with
 * members who change their activity; then one million online members, for whom eight instances run one after the other.
 *
 * Environment variables, with their defaults: BENCH_SECONDS (10); BENCH_MEMBERS of each instance (2000); BENCH_RATE, the
 * events per instance and second (400); BENCH_ROUNDS (3); BENCH_INSTANCES (1,2,4,8); BENCH_MILLION, the members of the last
 * measurement (1000000); BENCH_SPREAD, `spread` or `by gym` (both); BENCH_PROFILE, a folder for CPU profiles (none).
 */
import { fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient } from 'redis';
import { freePort } from '#server/http/free-ports.ts';
import type { Result, Task } from './instance.ts';

const env = (name: string, byDefault: number): number => Number(process.env[name] ?? byDefault);
const SECONDS = env('BENCH_SECONDS', 10);
const MEMBERS = env('BENCH_MEMBERS', 2_000);
const RATE = env('BENCH_RATE', 400);
const ROUNDS = env('BENCH_ROUNDS', 3);
const MILLION = env('BENCH_MILLION', 1_000_000);
const GYM_MEMBERS = 50;
const COUNTS = (process.env.BENCH_INSTANCES ?? '1,2,4,8').split(',').map(Number);

type Spread = 'spread' | 'by gym';

/** The members of each instance. `spread`: those of a gym are at all instances; `by gym`: they are at one. */
function membersOf(instances: number, total: number, spread: Spread): Task['members'][] {
  const gyms = Array.from({ length: Math.ceil(total / GYM_MEMBERS) }, () => randomUUID());
  const all = Array.from({ length: instances }, () => new Map<string, string[]>());
  for (let member = 0; member < total; member += 1) {
    const gym = member % gyms.length;
    const at = spread === 'by gym' ? gym : Math.floor(member / gyms.length);
    const gymId = gyms[gym]!;
    const members = all[at % instances]!;
    members.set(gymId, [...(members.get(gymId) ?? []), randomUUID()]);
  }
  return all.map((members) => [...members]);
}

async function startInstance(task: Task) {
  const child = fork(path.join(import.meta.dirname, 'instance.ts'), [], {
    execArgv: [
      '--expose-gc',
      ...(process.env.BENCH_PROFILE ? ['--cpu-prof', '--cpu-prof-dir', process.env.BENCH_PROFILE] : []),
    ],
  });
  child.send(task);
  await once(child, 'message'); // ready
  return {
    async run(): Promise<Result> {
      child.send('go');
      const [result] = (await once(child, 'message')) as [Result];
      if (child.exitCode === null) await once(child, 'exit');
      return result;
    },
  };
}

async function startRedis() {
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-presence-'));
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const server = spawn('redis-server', args, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url, socket: { reconnectStrategy: 50 } });
  client.on('error', () => undefined);
  await client.connect();
  const figure = async (section: string, name: string): Promise<number> =>
    Number(new RegExp(`${name}:([\\d.]+)`).exec(await client.info(section))?.[1]);
  return {
    url,
    cpuMillis: async () =>
      ((await figure('cpu', 'used_cpu_user')) + (await figure('cpu', 'used_cpu_sys'))) * 1_000,
    memory: () => figure('memory', 'used_memory'),
    clear: () => client.flushAll(),
    async stop() {
      client.destroy();
      server.kill();
      await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type BenchRedis = Awaited<ReturnType<typeof startRedis>>;

/** Measures a number of instances. Its `micros` are microseconds of processor time per event. */
async function measure(redis: BenchRedis, count: number, spread: Spread) {
  await redis.clear();
  const tasks = membersOf(count, MEMBERS * count, spread).map((members): Task => ({
    redisUrl: redis.url,
    members,
    eventsPerSecond: RATE,
    seconds: SECONDS,
  }));
  const instances = await Promise.all(tasks.map(startInstance));
  const before = await redis.cpuMillis();
  const results = await Promise.all(instances.map((instance) => instance.run()));
  const redisMillis = (await redis.cpuMillis()) - before;
  const sum = (figure: (result: Result) => number) => results.reduce((all, one) => all + figure(one), 0);
  const events = sum((one) => one.events);
  return {
    micros: (sum((one) => one.cpuMillis) * 1_000) / events,
    redisMicros: (redisMillis * 1_000) / events,
    updates: sum((one) => one.updates) / events,
    known: sum((one) => one.known) / count,
    heap: sum((one) => one.heapBytes) / count,
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

async function growth(redis: BenchRedis, spread: Spread): Promise<void> {
  console.log(
    `\nThe members of a gym are ${spread === 'spread' ? 'spread over all instances' : 'at one instance'}:\n`,
  );
  console.log(
    '| instances | µs per event | first row ÷ this row | Redis, µs per event | updates per event | entries known per instance | heap per instance |',
  );
  console.log('|---|---|---|---|---|---|---|');
  const rounds = new Map<number, Measured[]>(COUNTS.map((count) => [count, []]));
  // The numbers of instances take turns, so that other load of the machine affects all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const count of COUNTS) rounds.get(count)!.push(await measure(redis, count, spread));
  const medians = COUNTS.map((count) => median(rounds.get(count)!));
  const [first] = medians;
  medians.forEach(({ micros, redisMicros, updates, known, heap }, at) =>
    console.log(
      `| ${COUNTS[at]} | ${micros.toFixed(0)} | ${(first!.micros / micros).toFixed(2)} | ${redisMicros.toFixed(0)} | ${updates.toFixed(1)} | ${known.toFixed(0)} | ${(heap / 1e6).toFixed(1)} MB |`,
    ),
  );
}

const median = (all: readonly Measured[]): Measured =>
  all.toSorted((one, other) => one.micros - other.micros)[Math.floor(all.length / 2)]!;

/** Eight instances in turns: the entries of all remain in Redis, and each instance follows its own gyms only. */
async function million(redis: BenchRedis): Promise<void> {
  await redis.clear();
  const empty = await redis.memory();
  const heaps: number[] = [];
  const parts = membersOf(8, MILLION, 'by gym');
  const redisBytes: number[] = [];
  for (const members of parts) {
    const count = members.reduce((sum, [, userIds]) => sum + userIds.length, 0);
    const instance = await startInstance({ redisUrl: redis.url, members, eventsPerSecond: 0, seconds: 0 });
    redisBytes.push(await redis.memory());
    const { heapBytes, known } = await instance.run();
    heaps.push(heapBytes / count);
    console.log(
      `${count} members: ${(heapBytes / count).toFixed(0)} bytes of heap each; entries known: ${known}`,
    );
  }
  console.log(
    `${MILLION} members: ${Math.min(...heaps).toFixed(0)} to ${Math.max(...heaps).toFixed(0)} bytes of heap each, ` +
      `and ${((Math.max(...redisBytes) - empty) / MILLION).toFixed(0)} bytes in Redis, which has all of them at the end.`,
  );
}

const redis = await startRedis();
try {
  for (const spread of ['by gym', 'spread'] as const)
    if (!process.env.BENCH_SPREAD || process.env.BENCH_SPREAD === spread) await growth(redis, spread);
  console.log('\nOne million online members:\n');
  await million(redis);
} finally {
  await redis.stop();
}
