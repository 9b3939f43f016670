import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestAccount, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const rest = (member: TestAccount, method: string, path: string, body?: object) =>
  platform.rest('nutrition', method, path, { token: member.token, ...(body && { body }) });
const graph = (member: TestAccount, query: string, variables: object = {}) =>
  platform.graph('nutrition', query, variables, { token: member.token });
const LOG = 'mutation ($input: LogFoodInput!) { logFood(input: $input) { id } }';
const UPDATE = 'mutation ($input: UpdateFoodLogInput!) { updateFoodLog(input: $input) { id } }';
const refusedAt = (path: string) => ({ status: 400, body: { errors: [{ path }] } });
const REFUSED = [{ extensions: { code: 'VALIDATION_FAILED' } }];

test.each<[string, object, string]>([
  ['a weight by its quantity', { foodId: 'olive_oil', quantity: 250, unit: 'kg' }, 'quantity'],
  ['the energy of a quantity', { foodId: 'olive_oil', quantity: 50, unit: 'kg' }, 'quantity'],
  ['the energy of a weight', { foodId: 'olive_oil', grams: 100_000 }, 'grams'],
  ['the protein of a weight', { foodId: 'chicken_breast', grams: 90_000, calories: 20_000 }, 'grams'],
])('the limits of an entry also apply to what is calculated from a food: %s', async (_what, values, path) => {
  const member = await platform.register();
  expect(await rest(member, 'POST', '/log', values)).toMatchObject(refusedAt(path));
  expect(
    await rest(member, 'POST', '/log', { entries: [{ foodName: 'Tea', calories: 1 }, values] }),
  ).toMatchObject(refusedAt(`entries.1.${path}`));
  expect((await graph(member, LOG, { input: values })).errors).toMatchObject(REFUSED);
  expect((await rest(member, 'GET', '/history/me')).body).toEqual([]);
});

test.each<[string, object, object]>([
  ['energy', { calories: 9, grams: 1 }, { grams: 100_000 }],
  ['a nutrient', { calories: 4, protein: 1, grams: 1 }, { grams: 5_100, calories: 20_000 }],
  ['the quantity', { calories: 0, grams: 1, quantity: 1_000 }, { grams: 200 }],
])('they also apply to what follows from a new weight: %s', async (_what, values, change) => {
  const member = await platform.register();
  const { body } = await rest(member, 'POST', '/log', { foodName: 'Oil', ...values });
  expect(await rest(member, 'PUT', `/log/${body.id}`, change)).toMatchObject(refusedAt('grams'));
  const byGraph = await graph(member, UPDATE, { input: { id: body.id, ...change } });
  expect(byGraph.errors).toMatchObject(REFUSED);
  expect((await rest(member, 'GET', `/log/${body.id}`)).body).toMatchObject(values);
});

test('an entry beyond the limits that is already stored can still be changed in its other fields, but not copied', async () => {
  const member = await platform.register();
  const { body } = await rest(member, 'POST', '/log', { foodName: 'Oil', calories: 900, grams: 100 });
  await platform.sql('nutrition', 'update food_log set calories = 900000, grams = 100000 where id = $1', [
    body.id,
  ]);
  for (const change of [{ foodName: 'Much oil' }, { protein: 1 }, { quantity: 2 }])
    expect((await rest(member, 'PUT', `/log/${body.id}`, change)).status).toBe(200);
  expect(await rest(member, 'PUT', `/log/${body.id}`, { grams: 90_000 })).toMatchObject(refusedAt('grams'));
  expect((await rest(member, 'POST', `/log/${body.id}/copy`)).status).toBe(409);
  expect((await rest(member, 'PUT', `/log/${body.id}`, { grams: 100 })).body).toMatchObject({
    calories: 900,
  });
});

test('every entry that can be logged, also with the largest and smallest numbers, can be imported from an export', async () => {
  const [ana, ben] = [await platform.register(), await platform.register()];
  const day = { localDate: '2026-01-05', loggedAt: '2026-01-05T12:00:00.000Z' };
  const logged = [
    {
      foodName: 'Largest',
      calories: 20_000,
      protein: 5_000,
      grams: 100_000,
      quantity: 100_000,
      unit: 'x'.repeat(40),
    },
    { foodName: 'Carbs', calories: 20_000, carbs: 5_000, grams: 5_000 },
    {
      foodName: 'Smallest',
      calories: 0,
      protein: 1e-7,
      carbs: 2.5e-9,
      fats: 1e-10,
      grams: 1e-7,
      quantity: 1e-8,
    },
    { foodName: 'x'.repeat(200), calories: 1 },
    { foodId: 'olive_oil', quantity: 2.2, unit: 'kg' },
    { foodId: 'olive_oil', grams: 1e-7 },
  ];
  for (const entry of logged)
    expect((await rest(ana, 'POST', '/log', { ...entry, ...day })).status).toBe(201);
  const { body: csv } = await rest(ana, 'GET', '/history/me/export.csv');
  const headers = { 'Content-Type': 'text/csv' };
  const imported = await platform.rest('nutrition', 'POST', '/log/import', {
    token: ben.token,
    body: csv,
    headers,
  });
  expect(imported.body).toMatchObject({ errors: [], imported: logged.length, failed: 0 });
  const valuesOf = async (member: TestAccount) =>
    (await rest(member, 'GET', '/history/me')).body
      // oxlint-disable-next-line no-explicit-any -- the JSON of a route
      .map(({ foodName, calories, protein, carbs, fats, grams, quantity, unit, foodId }: any) =>
        JSON.stringify({ foodName, calories, protein, carbs, fats, grams, quantity, unit, foodId }),
      )
      .toSorted();
  expect(await valuesOf(ben)).toEqual(await valuesOf(ana));
});

test.each([-3, 20_001, 1.5])('the message about an energy of %p kcal names the bounds', async (calories) => {
  const member = await platform.register();
  const messageOf = async (method: string, path: string, body: object) =>
    (await rest(member, method, path, body)).body.errors;
  expect(await messageOf('POST', '/log', { foodName: 'Tea', calories })).toEqual([
    { path: 'calories', message: 'expected whole kcal from 0 to 20000' },
  ]);
  expect(await messageOf('PUT', '/goals', { calories })).toEqual([
    { path: 'calories', message: 'expected whole kcal from 1 to 20000' },
  ]);
});
