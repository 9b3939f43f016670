import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway } from '../../gateway/start-gateway.ts';
import { startHoldingProxy } from '../support/holding-proxy.ts';
import {
  isCacheTested,
  startCachedPlatform,
  type CachedAnswer,
  type CachedPlatform,
} from '../support/shared-cache.ts';
import { onThisMachine } from '../support/slow-machine.ts';

/** Each seed decides the times of the writes and reads, and the doors of the writes. */
const SEEDS = Number(process.env.CACHE_RACES_SEEDS ?? 3);
const WRITES = 12;
const READERS = 6;
/** A read that begins later than this after the answer to a write must not show an older value. */
const MOST_MILLIS = 1_000;

let cached: CachedPlatform;
let staff: string;
let members: readonly string[];
let locationId: string;

interface Read {
  /** In milliseconds, by `performance.now()`. */
  readonly startedAt: number;
  /** The capacity in the answer. */
  readonly shown: number;
}

(isCacheTested ? describe : describe.skip)('reads at the same time as writes', () => {
  beforeAll(async () => {
    cached = await startCachedPlatform(['identity', 'gym', 'content']);
    const { platform } = cached;
    [staff = '', ...members] = await Promise.all([
      platform.demo('admin@iron.test'),
      platform.demo('maya@iron.test'),
      platform.demo('leo@iron.test'),
    ]);
    const { body } = await platform.rest('gym', 'GET', '/locations', { token: staff });
    locationId = (body as { id: string }[])[0]?.id ?? '';
    for (const url of cached.gateways) await cached.warm(url, READ, members[0]);
  });
  afterAll(() => cached.stop());

  const READ = '{ me { gym { locations { id capacity } } } }';

  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'show no value that was replaced more than a second before the request, and finally the last value: seed %i',
    async (seed) => {
      const random = randomOf(seed);
      const written: { value: number; at: number }[] = [];
      const reads: Read[] = [];
      let isOver = false;
      const reader = async (index: number): Promise<void> => {
        while (!isOver) {
          reads.push(await read(index));
          await pause(random() * 15);
        }
      };
      const readers = Array.from({ length: READERS }, (_, index) => reader(index));
      for (let value = 100; value < 100 + WRITES; value += 1) {
        await write(value, random());
        written.push({ value, at: performance.now() });
        await pause(random() * 250);
      }
      isOver = true;
      await Promise.all(readers);
      const old = reads.flatMap(({ startedAt, shown }) => {
        const oldest = written.findLast(({ at }) => startedAt - at > MOST_MILLIS)?.value ?? 0;
        return shown < oldest && shown >= 100 ? [`${shown} instead of ${oldest}`] : [];
      });
      expect(old).toEqual([]);
      await pause(MOST_MILLIS);
      for (let index = 0; index < READERS; index += 1)
        expect((await read(index)).shown).toBe(100 + WRITES - 1);
      expect(await cached.metric(cached.gateways[0], 'shared_cache_hits_total')).toBeGreaterThan(0);
    },
  );

  it('cache no answer that a service has read before the last change, also for an equal query', async () => {
    const { platform } = cached;
    const gym = await startHoldingProxy(platform.url('gym'));
    const gateway = await startGateway(
      gatewaySettingsOf({ ...platform.env, GYM_URL: gym.url, GATEWAY_PORT: '0' }),
    );
    const capacityAt = async (url: string): Promise<number> =>
      capacityIn(await cached.ask(url, READ, members[0]));
    try {
      await cached.warm(gateway.url, READ, members[0]);
      for (let capacity = 200; capacity < 203; capacity += 1) {
        await write(capacity, 0);
        await pause(MOST_MILLIS); // until this gateway has noticed the change
        const held = gym.holdNextAnswer();
        const older = capacityAt(gateway.url);
        await held.answered;
        await write(capacity + 50, 0);
        await pause(MOST_MILLIS);
        const newer = capacityAt(gateway.url);
        // The time limit is for a gateway with a fault: there the newer query waits for the answer to the older one.
        await Promise.race([newer, setTimeout(onThisMachine(2_000), undefined, { ref: false })]);
        held.release();
        expect([await older, await newer]).toEqual([capacity, capacity + 50]);
        for (const url of [gateway.url, ...cached.gateways])
          expect(await capacityAt(url)).toBe(capacity + 50);
      }
    } finally {
      await gateway.stop();
      await gym.stop();
    }
  });

  async function read(index: number): Promise<Read> {
    const startedAt = performance.now();
    const answer = await cached.ask(cached.gateways[index % 2] ?? '', READ, members[index % members.length]);
    return { startedAt, shown: capacityIn(answer) };
  }

  function capacityIn({ data }: CachedAnswer): number {
    const list = data.me.gym.locations as { id: string; capacity: number }[];
    return list.find(({ id }) => id === locationId)?.capacity ?? 0;
  }

  /** @param random from 0 to 1; decides the door */
  async function write(capacity: number, random: number): Promise<void> {
    const { platform } = cached;
    const body = { capacity };
    if (random < 0.4) await platform.rest('gym', 'PUT', `/locations/${locationId}`, { token: staff, body });
    else if (random < 0.7)
      await platform.rest('gateway', 'PUT', `/gym/locations/${locationId}`, { token: staff, body });
    else
      await cached.ask(
        cached.gateways[1],
        'mutation ($input: UpdateLocationInput!) { updateLocation(input: $input) { id } }',
        staff,
        { input: { id: locationId, capacity } },
      );
  }
});

const pause = (millis: number): Promise<void> => setTimeout(millis);

/** Numbers from 0 to 1 that depend on the seed alone. */
function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
