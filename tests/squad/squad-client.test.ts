import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { socketOf } from './support/people.ts';

let platform: TestPlatform;
let client: SquadClient;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'squad'] });
  client = await socketOf(platform, await platform.register());
});
afterAll(() => platform.stop());

test('the client refuses a frame that is sent while its socket closes, or later', async () => {
  const closing = client.close();
  await expect(client.send('user_online', {})).rejects.toMatchObject({ name: 'SquadError', code: '1000' });
  await closing;
  await expect(client.send('user_online', {})).rejects.toMatchObject({ name: 'SquadError', code: '1000' });
});
