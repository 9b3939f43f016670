import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD, demoPerson } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { homeOf } from '../../clients/typescript/examples/graph.ts';
import { checkInAndEat } from '../../clients/typescript/examples/rest.ts';
import { nextOnlineUser } from '../../clients/typescript/examples/socket.ts';
import { restClient } from '../../clients/typescript/rest.ts';
import { SquadSocket } from '../../clients/typescript/socket.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

const root = path.join(import.meta.dirname, '..', '..');

describe('the TypeScript client', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  });
  afterAll(() => platform.stop());

  it('is generated from the current API documents', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/clients.ts', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  it('runs the example over REST', async () => {
    const url = platform.url('gateway');
    expect(await checkInAndEat(url, 'maya@iron.test', DEMO_PASSWORD)).toMatchObject({
      visit: { userId: demoPerson('maya@iron.test').id, checkedOutAt: null },
      meal: { foodName: 'Oatmeal', calories: 158 },
    });
    await expect(checkInAndEat(url, 'maya@iron.test', 'not her password')).rejects.toThrow(
      /^UNAUTHENTICATED/,
    );
  });

  it('returns a problem as a value with its code', async () => {
    const api = restClient({ url: platform.url('gateway') });
    const { data, error, response } = await api.GET('/gym/locations');
    expect([data, error?.code, response.status]).toEqual([undefined, 'UNAUTHENTICATED', 401]);
  });

  it('runs the example over the graph', async () => {
    const home = await homeOf(platform.url('gateway'), await platform.demo('maya@iron.test'));
    expect(home.me).toMatchObject({
      displayName: 'Maya',
      gym: { locations: [{ name: 'Anvil' }, { name: 'Forge' }] },
    });
    expect(home.workouts?.nodes).toHaveLength(2);
    await expect(homeOf(platform.url('gateway'), 'not a token')).rejects.toThrow(/token/i);
  });

  it('runs the example over the socket', async () => {
    const url = platform.url('gateway');
    const [maya, leo] = await Promise.all([platform.demo('maya@iron.test'), platform.demo('leo@iron.test')]);
    const isReady = Promise.withResolvers<void>();
    const next = nextOnlineUser(url, maya, isReady.resolve);
    await isReady.promise;
    const other = await SquadSocket.connect({ url, token: leo });
    await other.send('user_online', {});
    expect(await next).toBe(demoPerson('leo@iron.test').id);
    await expect(other.send('join_squad', { squadId: demoPerson('leo@iron.test').id })).rejects.toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
    other.close();
  });
});
