import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

const why = hasRedis ? '' : ' (skipped: redis-server is not installed)';

(hasRedis ? describe : describe.skip)(`squad and its Redis${why}`, () => {
  let redis: OwnRedis;
  let platform: TestPlatform;
  beforeAll(async () => {
    redis = await startRedis();
    platform = await startPlatform({ services: ['identity', 'squad'], env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await platform?.stop();
    await redis?.stop();
  });

  test('if Redis hangs, squads are opened and read as before, and changes by others are found at the next check', async () => {
    const token = await platform.demo('maya@iron.test');
    const open = () => platform.rest('squad', 'POST', '/squads', { token, body: {} });
    const { body: before } = await open();
    redis.hang();
    for (let round = 0; round < 3; round += 1) {
      const startedAt = Date.now();
      const answer = await open();
      expect(answer.status).toBe(201);
      expect((await platform.rest('squad', 'GET', `/squads/${answer.body.id}`, { token })).status).toBe(200);
      expect(Date.now() - startedAt).toBeLessThan(5_000);
    }
    expect((await platform.rest('squad', 'GET', `/squads/${before.id}`, { token })).status).toBe(200);
    expect(await platform.rest('squad', 'GET', '/health/ready')).toMatchObject({ status: 503 });
    expect(await platform.rest('squad', 'GET', '/health/live')).toMatchObject({ status: 200 });
    redis.resume();
    await eventually(async () => (await platform.rest('squad', 'GET', '/health/ready')).status === 200);
  });
});
