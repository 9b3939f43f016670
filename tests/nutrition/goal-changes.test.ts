import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let wizard: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
  wizard = await platform.serviceToken('wizard');
});
afterAll(() => platform.stop());

const FROM = '2026-01-05';
const setGoal = (token: string, body: object) =>
  platform.rest('nutrition', 'PUT', '/goals', { token, body: { from: FROM, ...body } });
const undo = (changeId: string, token = wizard) =>
  platform.rest('nutrition', 'DELETE', `/goals/changes/${changeId}`, { token });
const goalsOf = async (token: string) =>
  (
    (await platform.rest('nutrition', 'GET', '/goals', { token })).body as {
      calories: number;
      protein: number | null;
    }[]
  ).map(({ calories, protein }) => [calories, protein]);

test('a change of a service, also a repeated one, is undone to the values of before, and only once', async () => {
  const { id: userId, token } = await platform.register();
  await setGoal(token, { calories: 1_800, protein: 90 });
  const changeId = randomUUID();
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect((await setGoal(wizard, { userId, changeId, calories: 2_200 })).status).toBe(200);
  expect(await goalsOf(token)).toEqual([[2_200, null]]);
  expect((await undo(changeId)).status).toBe(204);
  expect(await goalsOf(token)).toEqual([[1_800, 90]]);
  await setGoal(token, { calories: 2_000 });
  expect((await undo(changeId)).status).toBe(204);
  expect(await goalsOf(token)).toEqual([[2_000, null]]);
});

test('only services make changes that can be undone, and undo them', async () => {
  const { token } = await platform.register();
  expect(await setGoal(token, { changeId: randomUUID(), calories: 2_000 })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'changeId' }] },
  });
  expect((await undo(randomUUID(), token)).status).toBe(403);
  expect((await undo(randomUUID())).status).toBe(204);
});
