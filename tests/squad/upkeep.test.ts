import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { socketOf, type Person } from './support/people.ts';
import { squadOf as squadWith } from './support/squads.ts';

const HOST_AWAY_MILLIS = 800;
const LOBBY_LIFETIME_MILLIS = 1_500;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    env: {
      SQUAD_HOST_AWAY_MILLIS: String(HOST_AWAY_MILLIS),
      SQUAD_LOBBY_LIFETIME_MILLIS: String(LOBBY_LIFETIME_MILLIS),
    },
  });
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
const people = (count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => platform.register()));

const squadOf = (...members: Person[]) => squadWith(platform, ...members);

describe('the host', () => {
  test.each([
    ['LOBBY', []],
    ['PAUSED', ['start_squad', 'pause_squad']],
  ] as const)(
    'who is away for too long from a %s squad is replaced by the participant who has been connected longest',
    async (_status, before) => {
      const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
      const squadId = await squadOf(maya, leo, ida);
      const mayas = await socketOf(platform, maya);
      const idas = await socketOf(platform, ida);
      const leos = await socketOf(platform, leo);
      for (const socket of [idas, leos]) await socket.send('join_squad', { squadId });
      for (const event of before) await mayas.send(event, { squadId });
      mayas.socket.terminate();
      const passed = await leos.next('squad_updated', ({ hostId }) => hostId !== maya.id);
      expect(passed).toMatchObject({ hostId: ida.id, participant: null });
      expect((await rest(ida, 'POST', `/squads/${squadId}/start`)).body.status).toBe('ACTIVE');
      const back = await socketOf(platform, maya); // Maya returns, and does not become host again.
      await wait(HOST_AWAY_MILLIS);
      expect((await rest(maya, 'GET', `/squads/${squadId}`)).body.hostId).toBe(ida.id);
      await Promise.all([idas.close(), leos.close(), back.close()]);
    },
  );

  test('stays host while they are connected, and also while no participant is connected', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    const [mayas, leos] = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
    await leos.send('join_squad', { squadId });
    await wait(HOST_AWAY_MILLIS * 1.5);
    expect((await rest(leo, 'GET', `/squads/${squadId}`)).body.hostId).toBe(maya.id);
    await Promise.all([mayas.close(), leos.close()]);
    await wait(HOST_AWAY_MILLIS * 1.5);
    expect((await rest(leo, 'GET', `/squads/${squadId}`)).body.hostId).toBe(maya.id);
  });
});

test('a LOBBY that was in use before a restart ends only after its participants had the time to connect again', async () => {
  const [maya, leo] = (await people(2)) as [Person, Person];
  const [mayas, leos] = await Promise.all([squadOf(maya), squadOf(leo)]);
  const sockets = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
  await wait(LOBBY_LIFETIME_MILLIS * 1.3);
  await platform.restart('squad');
  await Promise.all(sockets.map(({ closed }) => closed));
  expect((await rest(maya, 'GET', `/squads/${mayas}`)).body.status).toBe('LOBBY');
  const back = await socketOf(platform, leo);
  await wait(LOBBY_LIFETIME_MILLIS * 1.3);
  expect((await rest(maya, 'GET', `/squads/${mayas}`)).body.status).toBe('ENDED');
  expect((await rest(leo, 'GET', `/squads/${leos}`)).body.status).toBe('LOBBY');
  await back.close();
});

test('a LOBBY ends after a time in which no participant was connected and nothing has changed', async () => {
  const [maya, leo] = (await people(2)) as [Person, Person];
  const kept = await socketOf(platform, leo);
  const [mayas, leos] = await Promise.all([squadOf(maya), squadOf(leo)]);
  await wait(LOBBY_LIFETIME_MILLIS * 1.3);
  expect((await rest(maya, 'GET', `/squads/${mayas}`)).body.status).toBe('ENDED');
  expect((await rest(maya, 'GET', '/squads')).body).toEqual([]);
  expect((await rest(maya, 'GET', `/history/${maya.id}`)).body).toEqual([]);
  expect((await rest(leo, 'GET', `/squads/${leos}`)).body.status).toBe('LOBBY');
  await kept.close();
});
