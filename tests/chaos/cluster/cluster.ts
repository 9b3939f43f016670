import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBalancer, type Balancer } from './balancer.ts';
import { startPostgresPair, type PostgresPair } from './postgres-pair.ts';
import { Reaper } from './reaper.ts';
import { startRedisPair, type RedisPair } from './redis-pair.ts';
import { Replica, SERVERS, type ServerName } from './replica.ts';

export const REPLICAS = 3;

/** The whole installation: databases, Redis, the replicas of the platform, and a balancer in front of each server. */
export interface ChaosCluster {
  folder: string;
  postgres: PostgresPair;
  redis: RedisPair;
  replicas: readonly Replica[];
  balancers: ReadonlyMap<ServerName, Balancer>;
  /** The address that clients use. */
  gatewayUrl: string;
  /** The address of one replica of a server, without a balancer. */
  directUrl(server: ServerName, replica: number): string;
  /** Waits until every replica of every server is ready. */
  whenReady(withinMillis: number): Promise<void>;
  stop(): Promise<void>;
}

/** @param env settings of the platform in addition to those of the run */
export async function startCluster(env: Record<string, string> = {}): Promise<ChaosCluster> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'platform-chaos-'));
  chmodSync(folder, 0o711); // as root, PostgreSQL runs as another user
  const reaper = new Reaper();
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  const postgresStart = startPostgresPair(folder, REPLICAS, reaper);
  const redisStart = startRedisPair(path.join(folder, 'redis'), REPLICAS, reaper);
  const starts = await Promise.allSettled([postgresStart, redisStart]);
  if (starts.some(({ status }) => status === 'rejected')) {
    for (const start of starts) if (start.status === 'fulfilled') await start.value.stop();
    reaper.end(); // kills what the other one has started
    await removeFolder();
  }
  const [postgres, redis] = await Promise.all([postgresStart, redisStart]);
  const balancers = new Map<ServerName, Balancer>(
    await Promise.all(SERVERS.map(async (name) => [name, await openBalancer(REPLICAS)] as const)),
  );
  const serviceSecret = randomBytes(24).toString('hex');
  const replicas = Array.from(
    { length: REPLICAS },
    (_none, index) =>
      new Replica(index, { ...settingsOf(index), ...env }, reaper, (ports) => {
        for (const [name, port] of ports) {
          const line = balancers.get(name)?.lines[index];
          if (line) line.endpoint = { host: '127.0.0.1', port };
        }
      }),
  );

  function settingsOf(index: number): Record<string, string> {
    return {
      HOST: '127.0.0.1',
      DEMO: 'on',
      DATA_DIR: path.join(folder, `replica-${index}`),
      DATABASE_URL: postgres.urls[index]!,
      REDIS_URL: redis.urls[index]!,
      FILES_URL: `file://${path.join(folder, 'files')}?shared=true`,
      SERVICE_SECRET: serviceSecret,
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'off',
      STOP_GRACE_PERIOD_MILLIS: '5000',
      ...Object.fromEntries([...balancers].map(([name, { url }]) => [`${name.toUpperCase()}_URL`, url])),
    };
  }

  const cluster: ChaosCluster = {
    folder,
    postgres,
    redis,
    replicas,
    balancers,
    gatewayUrl: balancers.get('gateway')!.url,
    directUrl(server, replica) {
      const { endpoint } = balancers.get(server)!.lines[replica]!;
      if (!('port' in endpoint)) throw new Error(`${server} has no port`);
      return `http://127.0.0.1:${endpoint.port}`;
    },
    async whenReady(withinMillis) {
      const until = Date.now() + withinMillis;
      for (;;) {
        const waiting = [...balancers].filter(([, balancer]) => balancer.ready() < REPLICAS);
        if (waiting.length === 0) return;
        if (Date.now() > until)
          throw new Error(
            `Not every replica is ready: ${waiting.map(([name, b]) => `${name} ${b.ready()}`).join()}`,
          );
        await sleep(100);
      }
    },
    async stop() {
      for (const replica of replicas) replica.kill();
      await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
      await Promise.all([...balancers.values()].map((balancer) => balancer.close()));
      await Promise.all([postgres.stop(), redis.stop()]);
      reaper.end();
      await removeFolder();
    },
  };
  try {
    // The first replica creates the databases and the demo data; the others start after it, both at the same time.
    await replicas[0]!.startUntilReady();
    await Promise.all(replicas.slice(1).map((replica) => replica.startUntilReady()));
    await cluster.whenReady(60_000);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
