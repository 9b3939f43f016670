import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'], env: { DATABASE_PREPARED_STATEMENTS: 'off' } });
});
afterAll(() => platform.stop());

test('DATABASE_PREPARED_STATEMENTS=off: a service sends no statement by name', async () => {
  const { token, id } = await platform.register();
  const sent: { name?: string; text: string }[] = [];
  const original = pg.Client.prototype.query;
  const query = original as (...all: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    if (typeof args[0] === 'object') sent.push(args[0] as { name?: string; text: string });
    return query.apply(this, args);
  } as typeof original;
  try {
    for (let round = 0; round < 3; round += 1)
      expect((await platform.rest('identity', 'GET', '/users/me', { token })).body.id).toBe(id);
  } finally {
    pg.Client.prototype.query = original;
  }
  expect(sent.filter(({ text }) => text.includes('from user_account')).length).toBeGreaterThanOrEqual(3);
  expect(sent.filter(({ name }) => name)).toEqual([]);
});
