import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

test.each([
  ['a date', (spaces: string) => `2026-01-01${spaces}x,Oats,300`, 'localDate'],
  ['a number', (spaces: string) => `2026-01-01,Oats,300${spaces}x`, 'calories'],
])('rows with many spaces in %s are not read in quadratic time', async (_what, row, column) => {
  const { token } = await platform.register();
  const rows = Array.from({ length: 600 }, () => row(' '.repeat(16_000)));
  const before = performance.now();
  const { body } = await platform.rest('nutrition', 'POST', '/log/import', {
    token,
    body: ['localDate,foodName,calories', ...rows].join('\n'),
    headers: { 'Content-Type': 'text/csv' },
  });
  expect(body).toMatchObject({ lines: 600, failed: 600 });
  expect(body.errors[0]).toMatchObject({ column });
  expect(performance.now() - before).toBeLessThan(withinOnThisMachine(30_000));
});
