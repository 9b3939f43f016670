import { expect, it } from '@jest/globals';
import { integratorsDay } from './day/day.ts';

const number = (name: string, standard: number): number => Number(process.env[name] ?? standard);

/**
 * `DAY_SCANS=5000 DAY_SCANS_PER_SECOND=6 DAY_MEMBERS=60 DAY_MODE_SECONDS=120 DAY_KILLS=3 DAY_TOKEN_SECONDS=60
 * DAY_PATIENCE_SECONDS=300 SHOW_FIGURES=1 npm test -- tests/events/integrators-day.test.ts` lasts 20 minutes: the receiver
 * fails for four and for six minutes, and the platform is killed while it sends what has waited.
 */
const sizes = {
  scans: number('DAY_SCANS', 60),
  scansPerSecond: number('DAY_SCANS_PER_SECOND', 50),
  members: number('DAY_MEMBERS', 10),
  modeSeconds: number('DAY_MODE_SECONDS', 0.4),
  kills: number('DAY_KILLS', 1),
  tokenSeconds: number('DAY_TOKEN_SECONDS', 1),
  patienceSeconds: number('DAY_PATIENCE_SECONDS', 0),
};

it(
  'whatever happens to the platform and to the receiver, every acknowledged change arrives, in its order, by feed and by webhook',
  async () => {
    const report = await integratorsDay(sizes);
    if (process.env.SHOW_FIGURES) console.log(report.figures);
    expect(report.violations.slice(0, 20)).toEqual([]);
    const { figures } = report;
    expect(figures.events).toBeGreaterThanOrEqual(figures.acknowledged);
    expect(figures).toMatchObject({ kills: sizes.kills });
    expect(figures.scans).toBeGreaterThanOrEqual(sizes.scans);
    expect(figures.tokens).toBeGreaterThan(2); // they were renewed
    expect(figures.requests).toBeGreaterThan(figures.events); // some attempts have failed
    // If it has the time, the platform itself sends what has waited.
    expect(figures.hadToReplay && sizes.patienceSeconds > 0).toBe(false);
  },
  (sizes.modeSeconds * 10 + sizes.patienceSeconds + sizes.scans / Math.min(5, sizes.scansPerSecond) + 300) *
    1_000,
);
