import { spawnSync } from 'node:child_process';
import os from 'node:os';

/** How long one start of PROGRAM takes on an otherwise idle machine, in milliseconds. */
const USUAL_MILLIS = 90;
const HIGHEST_SLOWNESS = 10;

/** The start of a process that fills 64 MiB. On a slow or busy machine, starts of processes and new memory take longest. */
const PROGRAM = 'Buffer.allocUnsafeSlow(64 * 1024 * 1024).fill(1)';

/** How many times slower this machine is than usual: from 1 to 10. The least of three, because one may be disturbed. */
export function measuredSlowness(): number {
  const startMillis = Array.from({ length: 3 }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', PROGRAM], { stdio: 'ignore' });
    return performance.now() - startedAt;
  });
  return Math.min(HIGHEST_SLOWNESS, Math.max(1, Math.min(...startMillis) / USUAL_MILLIS));
}

/**
 * How many processes want each processor now, at least 1: the average of the last minute. It changes while the tests run, and
 * the start of a process does not show it, because the system prefers new processes.
 */
const processesPerProcessor = (): number => Math.max(1, (os.loadavg()[0] ?? 1) / os.availableParallelism());

/** A time for a setting or a wait: longer on a slow machine, and the same during the whole run. */
export const onThisMachine = (millis: number): number => Math.round(millis * slowness());

/**
 * A limit for work that takes `millis` at most on a usual, quiet machine, and accordingly more on a slow or busy one. It is
 * never less than `onThisMachine(millis)`.
 */
export const withinOnThisMachine = (millis: number): number =>
  Math.round(onThisMachine(millis) * Math.min(HIGHEST_SLOWNESS, processesPerProcessor()));

const slowness = (): number => Number(process.env.TEST_SLOWNESS ?? 1);
