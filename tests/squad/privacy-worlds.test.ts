import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settingsOf } from '#server/run.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { People } from './privacy-worlds/people.ts';
import { scriptOf } from './privacy-worlds/script.ts';
import { difference, type Transcript } from './privacy-worlds/transcript.ts';
import { World, type Stage } from './privacy-worlds/world.ts';

/** `PRIVACY_WORLDS=2000 npm test -- tests/squad/privacy-worlds.test.ts` plays more of them. */
const WORLDS = Number(process.env.PRIVACY_WORLDS ?? 12);
const FIRST_SEED = Number(process.env.PRIVACY_SEED ?? 1);
const AT_A_TIME = 12;
const GRACE_MILLIS = 60;
/** Longer than Redis takes to tell the other instance, also on a busy machine. */
const SHARED_GRACE_MILLIS = 1_000;
/** More than a gym's updates wait for each other in these tests, and than they gather changes. */
const SETTLE_MILLIS = 12;

/** Worlds in which people who may see hugo did something else. */
let otherWorlds = 0;

/** Both ways of each world; what a viewer could tell them apart by. */
async function play(stage: Stage, seed: number): Promise<string[]> {
  const script = scriptOf(seed);
  const [withHidden, without] = await Promise.all([
    World.play(stage, script, true),
    World.play(stage, script, false),
  ]);
  // Somebody who may see hugo could do what they cannot do without them, such as join a club that hugo alone shows them:
  // what others then see is their doing.
  if (withHidden.outcomes.join() !== without.outcomes.join()) {
    otherWorlds += 1;
    return [];
  }
  return script.hiddenFrom.flatMap((viewer) => {
    const found = difference(
      withHidden.transcripts.get(viewer) as Transcript,
      without.transcripts.get(viewer) as Transcript,
    );
    return found === undefined ? [] : [`seed ${seed} (${script.hiding}), ${viewer}\n  ${found}`];
  });
}

/** @param attempts a difference counts if it is found so often in a row: one that depends on the load goes away */
async function playAll(stage: Stage, worlds: number, attempts: number): Promise<string[]> {
  const leaks: string[] = [];
  let next = FIRST_SEED;
  const end = FIRST_SEED + worlds;
  const playSome = async (): Promise<void> => {
    while (next < end && leaks.length < 10) {
      const seed = next++;
      let found = await play(stage, seed);
      for (let again = 1; again < attempts && found.length > 0; again += 1) found = await play(stage, seed);
      leaks.push(...found);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, playSome));
  return leaks;
}

const questions = new Map<string, number>();
const originalFetch = globalThis.fetch;
let platform: TestPlatform;
let people: People;
let exerciseId: string;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'content', 'squad'],
    env: {
      GYM_URL: 'http://127.0.0.1:9', // nobody listens there: the feed is what squad knows by itself
      SQUAD_PRESENCE_GRACE_MILLIS: String(GRACE_MILLIS),
      SQUAD_PRESENCE_INTERVAL_MILLIS: '1',
    },
  });
  people = await People.of(platform);
  const [squat] = (await platform.rest('content', 'GET', '/exercises?search=back squat&limit=1')).body;
  exerciseId = squat.id;
  globalThis.fetch = (input, init) => {
    const asked = /\/users\/([0-9a-f-]{36})$/.exec(input instanceof Request ? input.url : String(input))?.[1];
    if (asked) questions.set(asked, (questions.get(asked) ?? 0) + 1);
    return originalFetch(input, init);
  };
});
afterAll(async () => {
  globalThis.fetch = originalFetch;
  await platform?.stop();
});

const stageOf = (
  urls: readonly string[],
  settleMillis = SETTLE_MILLIS,
  graceMillis = GRACE_MILLIS,
): Stage => ({
  urls,
  newGym: (count) => people.newGym(count),
  questionsAbout: (userId) => questions.get(userId) ?? 0,
  settleMillis,
  graceMillis,
  exerciseId,
});

describe('nobody can tell what somebody does who is hidden from them', () => {
  test(
    `at any door, in ${WORLDS} worlds`,
    async () => {
      expect(await playAll(stageOf([platform.url('squad')]), WORLDS, 1)).toEqual([]);
      expect(otherWorlds).toBeLessThan(3 + WORLDS / 20);
    },
    60_000 + WORLDS * 5_000,
  );

  const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';
  (hasRedis ? describe : describe.skip)(`two instances with Redis${why}`, () => {
    let redis: OwnRedis;
    let instances: RunningSubgraph[] = [];
    beforeAll(async () => {
      redis = await startRedis();
      const { settings } = settingsOf(squad, {
        ...platform.env,
        REDIS_URL: redis.url,
        SQUAD_PRESENCE_GRACE_MILLIS: String(SHARED_GRACE_MILLIS),
      });
      instances = await Promise.all(
        [1, 2].map(() => startSubgraph(squad, { settings, port: 0, verifyAnswers: true })),
      );
    });
    afterAll(async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await redis?.stop();
    });

    const worlds = Math.ceil(WORLDS / 10);
    test(
      `at any door of either, in ${worlds} worlds`,
      async () => {
        const urls = instances.map(({ url }) => url);
        const stage = stageOf(urls, SETTLE_MILLIS * 5, SHARED_GRACE_MILLIS);
        expect(await playAll(stage, worlds, 3)).toEqual([]);
      },
      60_000 + worlds * 10_000,
    );
  });
});
