import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { formOf, picture } from './analysis-service.ts';

let platform: TestPlatform;
let caller: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
  caller = await platform.demo('leo@iron.test');
});
afterAll(() => platform.stop());

test.each(['leo@iron.test', 'admin@iron.test', 'super@demo.test'] as const)(
  'without an AI provider %s gets an estimate by the food table',
  async (email) => {
    const answer = await platform.rest('nutrition', 'POST', '/analyze', {
      token: await platform.demo(email),
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
  const rest = await platform.rest('nutrition', 'POST', '/analyze', {
    token: caller,
    body: { prompt, locale: 'de-AT' },
  });
  const graph = await platform.graph(
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

test('without an AI provider a picture is answered with 503, another file with 415, and a form with only a text with an estimate', async () => {
  expect(
    await platform.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([await picture(20, 20)]),
    }),
  ).toMatchObject({ status: 503, body: { code: 'AI_NOT_CONFIGURED' } });
  expect(
    await platform.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([Buffer.from('<svg/>')]),
    }),
  ).toMatchObject({ status: 415 });
  expect(
    await platform.rest('nutrition', 'POST', '/analyze', {
      token: caller,
      body: formOf([], { prompt: 'one banana' }),
    }),
  ).toMatchObject({ status: 200, body: { items: [{ name: 'Banana' }] } });
});
