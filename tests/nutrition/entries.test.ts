import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

type Member = Awaited<ReturnType<TestPlatform['register']>>;
const rest = (member: Pick<Member, 'token'>, method: string, path: string, body?: object) =>
  platform.rest('nutrition', method, path, { token: member.token, ...(body && { body }) });
const graph = (member: Member, query: string, variables: object = {}) =>
  platform.graph('nutrition', query, variables, { token: member.token });

describe('an entry that is changed', () => {
  test('keeps its local time if it is moved to another day, also across the change to summer time', async () => {
    const member = await platform.register();
    await platform.rest('identity', 'PUT', '/profile', {
      token: member.token,
      body: { timezone: 'Europe/Berlin' },
    });
    const { body } = await rest(member, 'POST', '/log', {
      foodName: 'Oats',
      calories: 300,
      loggedAt: '2026-03-28T06:45:30Z',
    });
    expect(body.localDate).toBe('2026-03-28');
    const moved = await rest(member, 'PUT', `/log/${body.id}`, { localDate: '2026-03-30' });
    expect(moved.body).toMatchObject({ localDate: '2026-03-30', loggedAt: '2026-03-30T05:45:30.000Z' });
    const back = await graph(
      member,
      `mutation { updateFoodLog(input: { id: "${body.id}", localDate: "2026-03-28" }) { localDate loggedAt } }`,
    );
    expect(back.data.updateFoodLog).toEqual({
      localDate: '2026-03-28',
      loggedAt: '2026-03-28T06:45:30.000Z',
    });
    const named = await rest(member, 'PUT', `/log/${body.id}`, { localDate: '2026-03-29', timezone: 'UTC' });
    expect(named.body.loggedAt).toBe('2026-03-29T06:45:30.000Z');
  });

  test('keeps its time if it is sent with its own day, also if this is not the day of the time, and moves by whole days', async () => {
    const member = await platform.register();
    await platform.rest('identity', 'PUT', '/profile', {
      token: member.token,
      body: { timezone: 'Europe/Berlin' },
    });
    // Half past midnight of 6 January in Berlin, which the user counts for the evening before.
    const { body } = await rest(member, 'POST', '/log', {
      foodName: 'Toast',
      calories: 100,
      loggedAt: '2026-01-05T23:30:00Z',
      localDate: '2026-01-05',
    });
    const change = async (values: object) => (await rest(member, 'PUT', `/log/${body.id}`, values)).body;
    const same = { localDate: '2026-01-05', loggedAt: '2026-01-05T23:30:00.000Z' };
    expect(await change({ calories: 200, localDate: '2026-01-05' })).toMatchObject({
      calories: 200,
      ...same,
    });
    expect(await change({ localDate: '2026-01-05', timezone: 'America/New_York' })).toMatchObject(same);
    const byGraph = await graph(
      member,
      `mutation { updateFoodLog(input: { id: "${body.id}", localDate: "2026-01-05" }) { localDate loggedAt } }`,
    );
    expect(byGraph.data.updateFoodLog).toEqual(same);
    // Across the change to summer time it is still half past midnight of the next day.
    expect(await change({ localDate: '2026-03-30' })).toMatchObject({
      localDate: '2026-03-30',
      loggedAt: '2026-03-30T22:30:00.000Z',
    });
    expect(await change({ localDate: '2026-01-05' })).toMatchObject(same);
  });

  test('gets nutrients and quantity in proportion to a new weight, unless the change contains them', async () => {
    const member = await platform.register();
    const { body } = await rest(member, 'POST', '/log', {
      foodName: 'Rice',
      calories: 130,
      protein: 2.7,
      carbs: 28,
      fats: 0.3,
      grams: 100,
      quantity: 1,
      unit: 'bowl',
    });
    const path = `/log/${body.id}`;
    expect((await rest(member, 'PUT', path, { grams: 250 })).body).toMatchObject({
      grams: 250,
      calories: 325,
      protein: 6.75,
      carbs: 70,
      fats: 0.75,
      quantity: 2.5,
      unit: 'bowl',
    });
    expect((await rest(member, 'PUT', path, { grams: 100, calories: 120, quantity: 1 })).body).toMatchObject({
      calories: 120,
      protein: 2.7,
      quantity: 1,
    });
    expect((await rest(member, 'PUT', path, { grams: null })).body).toMatchObject({
      grams: null,
      calories: 120,
    });
    expect((await rest(member, 'PUT', path, { grams: 300 })).body).toMatchObject({
      grams: 300,
      calories: 120,
    });
    const { data } = await graph(
      member,
      `mutation { updateFoodLog(input: { id: "${body.id}", grams: 150 }) { calories carbs } }`,
    );
    expect(data.updateFoodLog).toEqual({ calories: 60, carbs: 14 });
    const day = (await rest(member, 'GET', `/history/me/daily?from=${body.localDate}&to=${body.localDate}`))
      .body.days[0];
    expect(day.totals).toMatchObject({ calories: 60, carbs: 14 });
  });
});

describe('an implausible entry', () => {
  const IMPLAUSIBLE: [string, object, string][] = [
    ['more fat than the energy allows', { calories: 100, fats: 500 }, 'calories'],
    ['500 g protein in 10 g', { calories: 2_000, protein: 500, grams: 10 }, 'grams'],
    ['nutrients without energy', { calories: 0, protein: 20, fats: 10 }, 'calories'],
    ['more energy than the same weight of fat', { calories: 2_000, grams: 100 }, 'calories'],
  ];
  test.each(IMPLAUSIBLE)('is refused: %s', async (_what, values, path) => {
    const member = await platform.register();
    expect(await rest(member, 'POST', '/log', { foodName: 'x', ...values })).toMatchObject({
      status: 400,
      body: { errors: [{ path }] },
    });
    expect(
      await rest(member, 'POST', '/log', {
        entries: [
          { foodName: 'Tea', calories: 1 },
          { foodName: 'x', ...values },
        ],
      }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ path: `entries.1.${path}` }] },
    });
    const logged = await graph(member, 'mutation($input: LogFoodInput!) { logFood(input: $input) { id } }', {
      input: { foodName: 'x', ...values },
    });
    expect(logged.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    const { body } = await rest(member, 'POST', '/log', { foodName: 'x', calories: 200, grams: 300 });
    expect(await rest(member, 'PUT', `/log/${body.id}`, values)).toMatchObject({ status: 400 });
    expect((await rest(member, 'GET', '/history/me')).body).toMatchObject([{ calories: 200, grams: 300 }]);
  });

  test.each([
    ['vodka', { calories: 92, grams: 40 }],
    ['oil', { calories: 90, fats: 10, grams: 10 }],
    ['erythritol', { calories: 0, carbs: 30, grams: 30 }],
    ['a label with rounded figures', { calories: 45, protein: 5, carbs: 4, fats: 2, grams: 10 }],
    ['a protein bar with polyols', { calories: 190, protein: 20, carbs: 22, fats: 7, grams: 60 }],
    ['psyllium husks', { calories: 200, carbs: 88, grams: 100 }],
    ['only energy', { calories: 1_200 }],
    ['more energy than its nutrients explain', { calories: 300, protein: 1 }],
  ])('is not confused with an unusual one, which is accepted: %s', async (_what, values) => {
    const member = await platform.register();
    expect((await rest(member, 'POST', '/log', { foodName: 'x', ...values })).status).toBe(201);
  });

  test('that is already stored can still get another name or day', async () => {
    const member = await platform.register();
    const { body } = await rest(member, 'POST', '/log', { foodName: 'x', calories: 100 });
    await platform.sql('nutrition', 'update food_log set fats = 500 where id = $1', [body.id]);
    expect(
      (await rest(member, 'PUT', `/log/${body.id}`, { foodName: 'Butter', localDate: '2026-01-01' })).status,
    ).toBe(200);
    expect((await rest(member, 'PUT', `/log/${body.id}`, { carbs: 1 })).status).toBe(400);
    expect((await rest(member, 'PUT', `/log/${body.id}`, { fats: 10 })).status).toBe(200);
  });
});
