/**
 * The processor time of the services for the requests of a day, without and with the cache that gateways share:
 * `REDIS_URL=... npm run bench:platform -- cache`. Both platforms take turns, so that other load of the machine affects
 * both. `ROUNDS=10` and `REQUESTS=1000` measure longer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Load, median } from '../gateway/load.ts';
import { dayAt, DAY_SHARES, type DayRequest } from './day.ts';
import { startPlatform, type RunningPlatform } from './running-platform.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REQUESTS = Number(process.env.REQUESTS ?? 300);
const MEMBERS = 24;
/** A gateway stores nothing within 5 s after a change of the modules that are switched on; its start counts as a change. */
const SETTLED_MILLIS = 6_000;

interface Contender {
  readonly platform: RunningPlatform;
  readonly loads: ReadonlyMap<DayRequest, Load>;
}

interface Figures {
  /** Processor time per request, in milliseconds. */
  readonly services: number;
  readonly gateway: number;
}

export async function compareCache(): Promise<void> {
  const { REDIS_URL } = process.env;
  if (!REDIS_URL) throw new Error('Expected REDIS_URL, because gateways share a cache in Redis.');
  const contenders: Contender[] = [];
  try {
    for (const SHARED_CACHE of ['off', 'on']) {
      const platform = await startPlatform({ env: { REDIS_URL, SHARED_CACHE } });
      const loads = new Map<DayRequest, Load>();
      contenders.push({ platform, loads });
      for (const [name, workload] of await dayAt(platform.url, MEMBERS)) loads.set(name, new Load(workload));
    }
    await sleep(SETTLED_MILLIS);
    await report(contenders);
  } finally {
    for (const { platform, loads } of contenders) {
      for (const load of loads.values()) load.close();
      await platform.stop();
    }
  }
}

async function report(contenders: readonly Contender[]): Promise<void> {
  const day = contenders.map(() => ({ services: 0, gateway: 0 }));
  for (const [name, share] of Object.entries(DAY_SHARES) as [DayRequest, number][]) {
    const figures = await measure(name, contenders);
    for (const [index, one] of figures.entries()) {
      const sum = day[index];
      if (!sum) continue;
      sum.services += (share * one.services) / 100;
      sum.gateway += (share * one.gateway) / 100;
    }
    print(`${name} (${share} %)`, figures);
  }
  print('the day', day);
}

/** The median of all rounds, for each contender. */
async function measure(name: DayRequest, contenders: readonly Contender[]): Promise<Figures[]> {
  const rounds = contenders.map((): Figures[] => []);
  const requests = name === 'log-in' ? Math.min(REQUESTS, 30) : REQUESTS;
  for (let round = -1; round < ROUNDS; round += 1)
    for (const [index, { platform, loads }] of contenders.entries()) {
      const before = platform.cpu();
      const result = await loads.get(name)?.pressure(120, requests);
      if (!result || result.failures > 0) throw new Error(`${name}: ${result?.failures} failures`);
      const after = platform.cpu();
      if (round < 0) continue; // warms up
      rounds[index]?.push({
        services: (after.services - before.services) / result.requests,
        gateway: (after.gateway - before.gateway) / result.requests,
      });
    }
  return rounds.map((all) => ({
    services: median(all.map(({ services }) => services)),
    gateway: median(all.map(({ gateway }) => gateway)),
  }));
}

function print(what: string, [off, on]: readonly Figures[]): void {
  if (!off || !on) return;
  console.log(
    `${what.padEnd(46)} services ${off.services.toFixed(2)} -> ${on.services.toFixed(2)} ms, ${ratio(on.services, off.services)}; ` +
      `gateway ${off.gateway.toFixed(2)} -> ${on.gateway.toFixed(2)} ms, ${ratio(on.gateway, off.gateway)}`,
  );
}

const ratio = (one: number, other: number): string => `${(one / other).toFixed(2)} times`;
