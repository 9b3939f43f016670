import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasRedis } from '../support/redis.ts';
import { reportOf, violationsOf } from './report.ts';
import { restartInTurn } from './rolling/rolling-restart.ts';
import { makeWorld } from './workload/people.ts';
import { runChaos, startStage, type Stage } from './run.ts';

/** Small by default; README.md in this folder has the sizes of long runs. */
const size = (variable: string, byDefault: number): number => Number(process.env[variable] || byDefault);
const SECONDS = size('CHAOS_SECONDS', 40);
const PER_SECOND = size('CHAOS_RATE', 30);
const ROLLING_PER_SECOND = size('ROLLING_RATE', 40);
const ROLLING_SOCKETS = size('ROLLING_SOCKETS', 60);
/** The longest allowed delivery of an event during the restarts. README.md has the value for an idle machine. */
const ROLLING_DELIVERY_MILLIS = size('ROLLING_DELIVERY_MILLIS', 15_000);
const MINUTE_MILLIS = 60_000;
const seed = process.env.CHAOS_SEED || '1';
const isShown = Boolean(process.env.SHOW_FIGURES || process.env.CHAOS_SECONDS);
const print = (line: string): void => void (isShown && process.stdout.write(`chaos: ${line}\n`));

const why = !process.env.REDIS_URL
  ? ' (skipped: REDIS_URL is not set)'
  : hasRedis
    ? ''
    : ' (skipped: redis-server is not installed)';

(why ? describe.skip : describe)(`three replicas of every server${why}`, () => {
  let stage: Stage;

  beforeAll(async () => {
    const startedAt = performance.now();
    stage = await startStage(seed, { members: 10, pairs: 3 }, { DRAIN_DELAY_MILLIS: '3000' });
    print(`ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  }, 5 * MINUTE_MILLIS);
  afterAll(async () => stage?.stop(), MINUTE_MILLIS);

  test(
    'are restarted one after the other without a failed request or a missed event',
    async () => {
      // This test has people of its own, because the checker of the other test must know every write of its people.
      const world = await makeWorld(stage.client, { members: 5, pairs: 3 });
      const { failed, missed, slowestMillis, ...result } = await restartInTurn(
        stage.cluster,
        stage.client,
        world,
        { perSecond: ROLLING_PER_SECOND, sockets: ROLLING_SOCKETS, progress: print },
      );
      print(JSON.stringify({ failed: failed.length, missed, slowestMillis, ...result }));
      expect({ failed: failed.slice(0, 20), missed }).toEqual({ failed: [], missed: 0 });
      expect(slowestMillis).toBeLessThan(ROLLING_DELIVERY_MILLIS);
    },
    5 * MINUTE_MILLIS,
  );

  test(
    'neither lose nor duplicate an acknowledged write while servers fail',
    async () => {
      const result = await runChaos(stage, {
        seed,
        seconds: SECONDS,
        perSecond: PER_SECOND,
        faults: process.env.CHAOS_FAULTS ?? '',
        progress: print,
      });
      print(`seed ${seed}\n\n${reportOf(result)}\n`);
      expect(violationsOf(result)).toBe('');
      await rm(result.history.file);
    },
    SECONDS * 1_000 + 10 * MINUTE_MILLIS,
  );
});
