import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Readable } from 'node:stream';
import { streamOf } from '#server/streams.ts';
import { startPlatform, type TestPlatform } from '../tests/support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const DAYS = 365; // the year 2025

async function userWith(entries: number): Promise<{ id: string; token: string }> {
  const user = await platform.register();
  const line = (index: number) => {
    const time = new Date(Date.UTC(2025, 0, 1 + (index % DAYS), 6 + (index % 15), index % 60));
    return `${time.toISOString()},${time.toISOString().slice(0, 10)},Food ${index},${index % 700},${index % 40},${index % 90},${index % 30}\n`;
  };
  function* file() {
    yield 'loggedAt,localDate,foodName,calories,protein,carbs,fats\n';
    for (let start = 0; start < entries; start += 1_000)
      yield Array.from({ length: Math.min(1_000, entries - start) }, (_unused, offset) =>
        line(start + offset),
      ).join('');
  }
  const answer = await fetch(`${platform.url('nutrition')}/log/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'text/csv' },
    body: Readable.toWeb(streamOf(file())) as never,
    duplex: 'half',
  });
  expect(await answer.json()).toMatchObject({ status: 'DONE', imported: entries });
  return user;
}

async function medianMillis(work: () => Promise<{ status: number }>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 25; round++) {
    const startedAt = performance.now();
    expect((await work()).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  return times.toSorted((one, other) => one - other)[12] ?? 0;
}

const MAX_RATIO = 3;
/**
 * If the time with many entries is shorter than this, the ratio is not checked: two measurements of such short times may differ
 * by more.
 */
const NEGLIGIBLE_MILLIS = 3;

test('a page of history, a month of the series and the chart take less than three times as long with 100,000 entries as with 1,000, or less than 3 ms', async () => {
  const [few, many] = [await userWith(1_000), await userWith(100_000)];
  const READS = {
    'first page of history': (id: string) => `/history/${id}?limit=50`,
    'a page far back in history': (id: string) => `/history/${id}?limit=50&to=2025-02-01`,
    'a month of the series': (id: string) => `/history/${id}/series?from=2025-06-01&to=2025-06-30`,
    'a year of the series by month': (id: string) =>
      `/history/${id}/series?from=2025-01-01&to=2025-12-31&bucket=month`,
    'the chart of a month': (id: string) => `/history/${id}/chart.svg?from=2025-06-01&to=2025-06-30`,
  };
  const figures: Record<string, string> = {};
  for (const [name, path] of Object.entries(READS)) {
    const read = (user: { id: string; token: string }) =>
      medianMillis(() => platform.rest('nutrition', 'GET', path(user.id), { token: user.token }));
    const [atFew, atMany] = [await read(few), await read(many)];
    figures[name] = `${atFew.toFixed(1)} ms, ${atMany.toFixed(1)} ms`;
    expect([name, atMany / atFew < MAX_RATIO || atMany < NEGLIGIBLE_MILLIS]).toEqual([name, true]);
  }
  if (process.env.SHOW_FIGURES)
    process.stdout.write(`medians at 1,000 and 100,000 entries: ${JSON.stringify(figures, null, 2)}\n`);
}, 180_000);
