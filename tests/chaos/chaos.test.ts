import { rm } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { hasRedis } from '../support/redis.ts';
import { reportOf, violationsOf } from './report.ts';
import { runChaos } from './run.ts';

/** `CHAOS_SECONDS=1200 CHAOS_SEED=7 npm run chaos` repeats a long run; see README.md in this folder. */
const seconds = Number(process.env.CHAOS_SECONDS || 45);
const seed = process.env.CHAOS_SEED || '1';
const isShown = Boolean(process.env.SHOW_FIGURES || process.env.CHAOS_SECONDS);

const why = !process.env.REDIS_URL
  ? ' (skipped: REDIS_URL is not set)'
  : hasRedis
    ? ''
    : ' (skipped: redis-server is not installed)';
const print = (line: string): void => void (isShown && process.stdout.write(`chaos: ${line}\n`));

const run = why ? test.skip : test;

run(
  `three replicas lose and double no acknowledged write while servers fail${why}`,
  async () => {
    const result = await runChaos({
      seed,
      seconds,
      perSecond: Number(process.env.CHAOS_RATE || 30),
      faults: process.env.CHAOS_FAULTS ?? '',
      progress: print,
    });
    print(`seed ${seed}\n\n${reportOf(result)}\n`);
    expect(violationsOf(result)).toBe('');
    await rm(result.history.file);
  },
  (seconds + 600) * 1_000,
);
