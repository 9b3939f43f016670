import { expect, test } from '@jest/globals';
import { startPlatform } from '../support/platform.ts';
import { socketOf } from './support/people.ts';

test('each frame that comes while 100 wait for their answers is refused under its id, also without a rate', async () => {
  const platform = await startPlatform({ services: ['identity', 'squad'], env: { RATE_LIMITS: 'off' } });
  const socket = await socketOf(platform, await platform.register());
  const answers = await Promise.all(
    Array.from({ length: 250 }, () =>
      socket.send('user_online', {}).then(
        () => 'ack',
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      ),
    ),
  );
  const refused = answers.filter((answer) => answer !== 'ack');
  expect(refused.length).toBeLessThanOrEqual(150);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) expect(answer).toMatch(/^RATE_LIMITED Expected at most 100 frames/);
  expect((await socket.send('user_online', {})).full).toBe(true);
  await socket.close();
  await platform.stop();
});
