import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { settingsOf } from '#server/run.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { database } from '../../subgraphs/squad/database.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import { cloneDatabase } from '../support/database.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';
import { People } from './privacy-worlds/people.ts';
import { scriptOf } from './privacy-worlds/script.ts';
import { difference, type Transcript } from './privacy-worlds/transcript.ts';
import { World, type Stage } from './privacy-worlds/world.ts';

/** The number of worlds; `PRIVACY_WORLDS=2000 npm test -- tests/squad/privacy-worlds.test.ts` compares more. */
const WORLDS = Number(process.env.PRIVACY_WORLDS ?? 12);
const FIRST_SEED = Number(process.env.PRIVACY_SEED ?? 1);
const WORLDS_AT_A_TIME = 12;
const GRACE_MILLIS = 60;
/** Longer than a change takes to reach the other instance, also on a busy machine. */
const SHARED_GRACE_MILLIS = 1_000;
/** No further worlds begin once this number of leaks is found. */
const ENOUGH_LEAKS = 10;

interface Comparison {
  /** The number of worlds whose two runs (with and without hugo's hidden steps) were compared. */
  compared: number;
  /** The number of worlds whose runs cannot be compared, because users who may see hugo acted differently. */
  skipped: number;
  lastSeed: number;
  /** Differences by which a viewer could notice what hugo did. */
  leaks: string[];
}

/** The differences between the two runs of a world that its viewers notice; undefined if the runs cannot be compared. */
async function play(stage: Stage, seed: number): Promise<string[] | undefined> {
  const script = scriptOf(seed);
  const [withHidden, without] = await Promise.all([
    World.play(stage, script, true),
    World.play(stage, script, false),
  ]);
  // Users who may see hugo may act differently without hugo; for example they cannot join a club whose only member is
  // hugo. The other users then see a difference that these users have made.
  if (withHidden.outcomes.join() !== without.outcomes.join()) return undefined;
  return script.hiddenFrom.flatMap((viewer) => {
    const found = difference(
      withHidden.transcripts.get(viewer) as Transcript,
      without.transcripts.get(viewer) as Transcript,
    );
    return found === undefined ? [] : [`seed ${seed} (${script.hiding}), ${viewer}\n  ${found}`];
  });
}

/** If so many of these worlds cannot be compared, the test fails. */
const mostSkippedOf = (worlds: number): number => 3 + worlds / 20;

/** Runs worlds until this number is compared, too many cannot be compared, or enough leaks are found. */
async function compareWorlds(stage: Stage, worlds: number): Promise<Comparison> {
  const comparison: Comparison = { compared: 0, skipped: 0, lastSeed: FIRST_SEED - 1, leaks: [] };
  let isPlaying = 0;
  const playSome = async (): Promise<void> => {
    while (
      comparison.compared + isPlaying < worlds &&
      comparison.leaks.length < ENOUGH_LEAKS &&
      comparison.skipped <= mostSkippedOf(worlds)
    ) {
      isPlaying += 1;
      const leaks = await play(stage, (comparison.lastSeed += 1));
      isPlaying -= 1;
      if (leaks) {
        comparison.compared += 1;
        comparison.leaks.push(...leaks);
      } else comparison.skipped += 1;
    }
  };
  await Promise.all(Array.from({ length: WORLDS_AT_A_TIME }, playSome));
  return comparison;
}

function expectNoLeak(comparison: Comparison, worlds: number): void {
  const { leaks, ...figures } = comparison;
  if (process.env.SHOW_FIGURES)
    process.stdout.write(`Worlds: ${JSON.stringify({ ...figures, leaks: leaks.length })}\n`);
  expect(leaks).toEqual([]);
  expect(figures.skipped).toBeLessThan(mostSkippedOf(worlds));
  expect(figures.compared).toBe(worlds);
}

const identityRequests = new Map<string, number>();
const originalFetch = globalThis.fetch;
let platform: TestPlatform;
let people: People;
let exerciseId: string;

beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'content', 'squad'],
    env: {
      GYM_URL: 'http://127.0.0.1:9', // no server listens there, so the feed has only squad's activities
      SQUAD_PRESENCE_GRACE_MILLIS: String(GRACE_MILLIS),
      SQUAD_PRESENCE_INTERVAL_MILLIS: '1',
    },
  });
  people = await People.of(platform);
  const [squat] = (await platform.rest('content', 'GET', '/exercises?search=back squat&limit=1')).body;
  exerciseId = squat.id;
  globalThis.fetch = (input, init) => {
    const asked = /\/users\/([0-9a-f-]{36})$/.exec(input instanceof Request ? input.url : String(input))?.[1];
    if (asked) identityRequests.set(asked, (identityRequests.get(asked) ?? 0) + 1);
    return originalFetch(input, init);
  };
});
afterAll(async () => {
  globalThis.fetch = originalFetch;
  await platform?.stop();
});

const stageOf = (urls: readonly string[], graceMillis: number): Stage => ({
  urls,
  newGym: (count) => people.newGym(count),
  identityRequestsAbout: (userId) => identityRequests.get(userId) ?? 0,
  graceMillis,
  exerciseId,
});

describe('a viewer does not notice any action of a user who is hidden from them', () => {
  test(
    `at any door, in ${WORLDS} worlds`,
    async () => {
      const stage = stageOf([platform.url('squad')], GRACE_MILLIS);
      expectNoLeak(await compareWorlds(stage, WORLDS), WORLDS);
    },
    60_000 + WORLDS * 5_000,
  );

  const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';
  (hasRedis ? describe : describe.skip)(`with two instances, PostgreSQL and Redis${why}`, () => {
    let redis: OwnRedis;
    let instances: RunningSubgraph[] = [];
    beforeAll(async () => {
      redis = await startRedis();
      const { server: databaseServer, name: databaseName } = await cloneDatabase(database);
      const { settings } = settingsOf(squad, {
        ...platform.env,
        REDIS_URL: redis.url,
        SQUAD_PRESENCE_GRACE_MILLIS: String(SHARED_GRACE_MILLIS),
      });
      instances = await Promise.all(
        [1, 2].map(() =>
          startSubgraph(squad, { settings, port: 0, verifyAnswers: true, databaseServer, databaseName }),
        ),
      );
    });
    afterAll(async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await redis?.stop();
    });

    const worlds = Math.ceil(WORLDS / 10);
    test(
      `at any door of both instances, in ${worlds} worlds`,
      async () => {
        const stage = stageOf(
          instances.map(({ url }) => url),
          SHARED_GRACE_MILLIS,
        );
        expectNoLeak(await compareWorlds(stage, worlds), worlds);
      },
      60_000 + worlds * 10_000,
    );
  });
});
