import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    gateway: true,
    env: { SUBGRAPH_CONNECTIONS: '1' },
  });
});
afterAll(() => platform.stop());

it('requests that wait for events at the gateway take no connection from other requests', async () => {
  const token = await platform.demo('admin@iron.test');
  const get = (path: string) => platform.rest('gateway', 'GET', path, { token });
  const { next } = (await get('/gym/events?after=latest')).body as { next: string };
  const waiting = Promise.all(
    Array.from({ length: 8 }, () => get(`/gym/events?after=${encodeURIComponent(next)}&wait=5`)),
  );
  const started = performance.now();
  for (let index = 0; index < 3; index += 1) expect((await get('/gym/locations')).status).toBe(200);
  expect(performance.now() - started).toBeLessThan(withinOnThisMachine(4_000));
  expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
});
