import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway, type RunningGateway } from '../../gateway/start-gateway.ts';
import type { ServiceName } from '#server/settings.ts';
import { eventually } from './eventually.ts';
import type { GraphAnswer } from './platform/http-client.ts';
import { startPlatform, type TestPlatform } from './platform.ts';
import { hasRedis, startRedis, type OwnRedis } from './redis.ts';

/**
 * Whether the tests of the shared cache run: like all tests of several replicas only if REDIS_URL is set, and if this machine has
 * a redis-server. The tests start a Redis of their own, and do not use the one of REDIS_URL (tests/chaos/README.md).
 */
export const isCacheTested = Boolean(process.env.REDIS_URL) && hasRedis;

/** An answer of a gateway. A response that may not be cached has no `Age`. */
export interface CachedAnswer extends GraphAnswer {
  age: number | undefined;
  cacheControl: string | null;
}

/** A platform with a Redis of its own, two gateways that share their cache, and one that caches nothing. */
export interface CachedPlatform {
  platform: TestPlatform;
  redis: OwnRedis;
  /** The URLs of the two gateways. */
  gateways: readonly [string, string];
  uncached: string;
  /** One operation at a gateway. */
  ask(url: string, query: string, token?: string, variables?: object): Promise<CachedAnswer>;
  /** Asks until the gateway has answered from its cache, which it does not do at once after a start or on a busy machine. */
  warm(url: string, query: string, token?: string): Promise<CachedAnswer>;
  /**
   * The sum of all values of a gateway's metric whose labels contain the text `labels`, e.g. `layer="redis"`. It is 0 for a
   * metric that has no labels.
   */
  metric(url: string, name: string, labels?: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startCachedPlatform(
  services: readonly ServiceName[],
  env: Record<string, string> = {},
): Promise<CachedPlatform> {
  const redis = await startRedis();
  const platform = await startPlatform({ services, gateway: true, env: { REDIS_URL: redis.url, ...env } });
  const gateway = (more: Record<string, string>): Promise<RunningGateway> =>
    startGateway(gatewaySettingsOf({ ...platform.env, ...more, GATEWAY_PORT: '0' }));
  const others = [await gateway({}), await gateway({ SHARED_CACHE: 'off', SHARE_IN_FLIGHT: 'off' })];
  const [second, uncached] = others.map(({ url }) => url);
  const metric: CachedPlatform['metric'] = async (url, name, labels = '') => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  return {
    platform,
    redis,
    gateways: [platform.url('gateway'), second ?? ''],
    uncached: uncached ?? '',
    ask,
    metric,
    async warm(url, query, token) {
      return eventually(async () => {
        const before = await metric(url, 'shared_cache_hits_total');
        const answer = await ask(url, query, token);
        return (await metric(url, 'shared_cache_hits_total')) > before && answer;
      });
    },
    async stop() {
      for (const one of others) await one.stop();
      await platform.stop();
      await redis.stop();
    },
  };
}

async function ask(url: string, query: string, token?: string, variables = {}): Promise<CachedAnswer> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  const age = response.headers.get('age');
  return {
    status: response.status,
    age: age === null ? undefined : Number(age),
    cacheControl: response.headers.get('cache-control'),
    ...((await response.json()) as { data: unknown }),
  };
}
