import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { formOf, picture } from './analysis-service.ts';

let own: TestPlatform;
let caller: string;
beforeAll(async () => {
  own = await startPlatform({ services: ['identity', 'nutrition'] });
  caller = await own.demo('leo@iron.test');
});
afterAll(() => own.stop());

test.each(['leo@iron.test', 'admin@iron.test', 'super@demo.test'] as const)(
  'without an AI provider %s gets an estimate by the food table',
  async (email) => {
    const answer = await own.rest('nutrition', 'POST', '/analyze', {
      token: await own.demo(email),
      body: { prompt: '2 eggs and 100 g rice' },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        provider: 'food-table',
        items: [
          { name: 'Egg, hard-boiled', grams: 100, calories: 155 },
          { grams: 100, calories: 130 },
        ],
        total: { calories: 285 },
      },
    });
  },
);

test('REST and the graph return the same answer, in the language of the request', async () => {
  const prompt = '2.000 g Kartoffeln, zwei Spiegeleier und zorblax';
  const rest = await own.rest('nutrition', 'POST', '/analyze', {
    token: caller,
    body: { prompt, locale: 'de-AT' },
  });
  const graph = await own.graph(
    'nutrition',
    `mutation ($input: AnalyzeFoodInput!) { analyzeFood(input: $input) {
      items { name grams calories protein carbs fats confidence known }
      total { calories protein carbs fats } confidence questions unknown provider } }`,
    { input: { prompt, locale: 'de-AT' } },
    { token: caller },
  );
  expect(graph.data.analyzeFood).toEqual(rest.body);
  expect(rest.body).toMatchObject({
    items: [
      { name: 'Salzkartoffeln', grams: 2000 },
      { name: 'Spiegelei', grams: 92 },
    ],
    unknown: ['zorblax'],
  });
  expect(rest.body.items[0].confidence).toBeLessThanOrEqual(0.5);
  expect(rest.body.questions.join()).toContain('more than usual for a meal');
});

test('without an AI provider a picture is 503, and a file that is no picture is 415', async () => {
  expect(
    await own.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([await picture(20, 20)]),
    }),
  ).toMatchObject({ status: 503, body: { code: 'AI_NOT_CONFIGURED' } });
  expect(
    await own.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([Buffer.from('<svg/>')]),
    }),
  ).toMatchObject({ status: 415 });
  expect(
    await own.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([], { prompt: 'one banana' }),
    }),
  ).toMatchObject({ status: 200, body: { items: [{ name: 'Banana' }] } });
});
