import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateMeal } from '../../subgraphs/nutrition/estimator/estimate.ts';
import { FOOD_TABLE } from '../../subgraphs/nutrition/foods/food-table.ts';
import { MEALS } from './meals.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const NUTRIENTS = ['calories', 'protein', 'carbs', 'fats'] as const;
const byHand = (foods: Readonly<Record<string, number>>) => {
  const total = { calories: 0, protein: 0, carbs: 0, fats: 0 };
  for (const [id, grams] of Object.entries(foods)) {
    const food = FOOD_TABLE.find((candidate) => candidate.id === id);
    if (!food) throw new Error(`the table has no ${id}`);
    for (const nutrient of NUTRIENTS) total[nutrient] += (food.per100g[nutrient] * grams) / 100;
  }
  return total;
};
/** Whether the true value is in the range that the confidence promises, or off by at most 2 kcal or g for rounding. */
const isWithin = (estimated: number, truth: number, confidence: number) =>
  Math.abs(estimated - truth) <= Math.max(2, estimated * (1 - confidence));

test('each of a hundred meals is within its promised range, in every nutrient', () => {
  expect(MEALS).toHaveLength(100);
  const outside = MEALS.filter(([text, foods]) => {
    const { total, confidence } = estimateMeal(text);
    const truth = byHand(foods);
    return !NUTRIENTS.every((nutrient) => isWithin(total[nutrient], truth[nutrient], confidence));
  }).map(([text]) => text);
  expect(outside).toEqual([]);
});

test('in the same meals exactly their foods are found, each once', () => {
  const wrong = MEALS.filter(([text, foods]) => {
    const names = Object.keys(foods).map((id) => FOOD_TABLE.find((food) => food.id === id)?.names.en);
    return (
      JSON.stringify(
        estimateMeal(text)
          .items.map((item) => item.name)
          .toSorted(),
      ) !== JSON.stringify(names.map(String).toSorted())
    );
  }).map(([text]) => text);
  expect(wrong).toEqual([]);
});

describe('words that are not understood are in `unknown` and in no item', () => {
  test.each([
    ['zorblax smoothie', ['zorblax'], 1],
    ['quorbit zzyqx and a glass of milk', ['quorbit zzyqx'], 1],
    ['asdf qwer', ['asdf qwer'], 0],
    ['200 g of unobtainium, 1 egg', ['unobtainium'], 1],
    ['-5 eggs', ['-5 eggs'], 0],
    ['-5 eggs and a banana', ['-5 eggs'], 1],
    ['rice ( -5', ['-5'], 1],
  ])('%s', (text, unknown, items) => {
    const answer = estimateMeal(text);
    expect(answer.unknown).toEqual(unknown);
    expect(answer.items).toHaveLength(items);
    for (const name of unknown) expect(answer.questions.join()).toContain(`"${name}"`);
    expect(answer.confidence).toBeLessThan(0.7);
  });

  test('an unknown word beside a known food leads to a question', () => {
    const { items, questions, unknown } = estimateMeal('100 g frobnicated xyzzy rice');
    expect(items).toMatchObject([{ calories: 130 }]);
    expect(items[0]?.confidence).toBeLessThan(0.8);
    expect(questions.join()).toContain('xyzzy');
    expect(unknown).toEqual(['xyzzy']);
  });
});

describe('amounts are read as people write them', () => {
  test.each<[text: string, locale: string, grams: number[]]>([
    ['150gchicken', 'en', [150]],
    ['2eggs and 30galmonds', 'en', [100, 30]],
    ['500mlcoke', 'en', [519]],
    ['chiken brest 200 g', 'en', [200]],
    ['1-1/2 cups milk', 'en', [366]],
    ['½ cup rice', 'en', [79]],
    ['a cup and a half of strawberries', 'en', [228]],
    ['half an avocado', 'en', [75]],
    ['2-3 eggs', 'en', [125]],
    ['150 g to 200 g chicken', 'en', [175]],
    ['150-200g chicken', 'en', [175]],
    ['1,500 g potatoes', 'en', [1500]],
    ['2.000 g Hähnchen', 'de', [2000]],
    ['1,5 l Wasser', 'de', [1500]],
    ['1.5 kg Äpfel', 'de', [1500]],
    ['a whole pizza', 'en', [420]],
    ['small banana, large banana', 'en', [101, 136]],
    ['a single small banana', 'en', [101]],
    ['two single small bananas', 'en', [202]],
    ['100 g raw lentils', 'en', [100]],
    ['2 EL Olivenöl', 'de', [27]],
    ["2 cuillères à soupe d'huile d'olive", 'fr', [27]],
    ['200 g de pechuga de pollo', 'es', [200]],
    ['chicken, 200 g', 'en', [200]],
    ['rice (200 g)', 'en', [200]],
  ])('%s', (text, locale, grams) => {
    const weights = estimateMeal(text, locale).items.map((item) => Math.round(item.grams));
    expect(weights).toEqual(grams);
  });

  test('an energy in the text is the energy of the item, and its weight is derived from it', () => {
    expect(estimateMeal('150 kcal yoghurt').items).toMatchObject([{ calories: 150, grams: 245.9 }]);
    expect(estimateMeal('banana (105 kcal) and a latte 190 kcal').items).toMatchObject([
      { calories: 105 },
      { calories: 190 },
    ]);
    expect(estimateMeal('a chicken and cheese wrap, 450 kcal').total.calories).toBeCloseTo(450, -1);
  });

  test('an ambiguous number, and a weight above a usual meal, lead to questions and a low confidence', () => {
    const doubtful = estimateMeal('2.000 g chicken', 'en');
    expect(doubtful.items).toMatchObject([{ grams: 2 }]);
    expect(doubtful.items[0]?.confidence).toBeLessThanOrEqual(0.3);
    expect(doubtful.questions.join()).toContain('a thousand times');
    for (const text of ['2 kg of chicken', '50 eggs', '20 bowls of rice']) {
      const { items, questions } = estimateMeal(text);
      expect(items[0]?.confidence).toBeLessThanOrEqual(0.5);
      expect(questions.join()).toContain('more than usual for a meal');
    }
  });
});

test('raw and dry foods are meant only if the text says so', () => {
  const kcal = (text: string, locale = 'en') => estimateMeal(text, locale).total.calories;
  expect([kcal('100 g rice'), kcal('100 g dry rice'), kcal('100 g of rice, uncooked')]).toEqual([
    130, 365, 365,
  ]);
  expect([kcal('100 g lentils'), kcal('100 g raw lentils')]).toEqual([116, 352]);
  expect([
    kcal('80 g roher Reis', 'de'),
    kcal('100 g de arroz crudo', 'es'),
    kcal('100 g de riz cru', 'fr'),
  ]).toEqual([292, 365, 365]);
});

test('a text may contain names of its own language and English ones', () => {
  const names = (text: string, locale: string) => estimateMeal(text, locale).items.map((item) => item.name);
  expect(names('2 Scheiben Käsebrot und ein Glas milk', 'de-AT')).toHaveLength(2);
  expect(names('un verre de vin rouge et 30 g de comté', 'fr_FR')).toEqual(['Vin rouge', 'Gruyère']);
  expect(names('huevos fritos con patatas fritas', 'es')).toEqual(['Huevo frito', 'Patatas fritas']);
  expect(names('2 eggs', 'tr')).toEqual(['Egg, hard-boiled']);
});

test('excluded foods are not counted', () => {
  const names = (text: string) => estimateMeal(text).items.map((item) => item.name);
  expect(names('coffee without milk or sugar')).toEqual(['Coffee, black']);
  expect(names('burger, no cheese, no mayo and a banana')).toEqual(['Hamburger', 'Banana']);
  expect(names('tea, no milk and sugar')).toEqual(['Tea, black']);
  expect(names('no sugar coke')).toEqual(['Diet cola']);
  expect(names('sugar-free red bull')).toEqual(['Sugar-free energy drink']);
  const kcal = (text: string) => estimateMeal(text).total.calories;
  expect(kcal('caesar salad without dressing')).toBeLessThan(kcal('caesar salad') - 100);
  expect(kcal('burger without the bun')).toBeLessThan(kcal('burger') - 80);
});

test('the confidence falls from weight to measure to portion, and with a typing error', () => {
  const confidence = (text: string) => estimateMeal(text).items[0]?.confidence ?? 0;
  const falling = ['200 g rice', '1 cup rice', 'a handful of rice', 'rice'].map(confidence);
  expect(falling).toEqual(falling.toSorted((one, other) => other - one));
  expect(new Set(falling).size).toBe(4);
  expect(confidence('2 bananas')).toBeGreaterThan(confidence('2 banannas'));
});

test('for every text the numbers are finite and not negative, and the total is the sum of the items', () => {
  const pieces = fc.constantFrom(
    '1',
    '½',
    '2-3',
    '1/0',
    '99999999999',
    '-5',
    'g',
    'kg',
    'cups',
    'large',
    'of',
    'and',
    'no',
    'without',
    'x',
    '(',
    ')',
    ',',
    '\n',
    'egg',
    'rice',
    'milk',
    'sandwich',
    'omelette',
    'a',
    'half',
    'dozen',
    'blah',
    '💥',
    'kcal',
    'raw',
    'con',
    'de',
    '2.000',
    '%',
    'constructor',
    '__proto__',
    'toString',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 20 }).map((words) => words.join(' ')),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
      ),
      fc.constantFrom('en', 'de', 'fr', 'es'),
      (text, locale) => {
        const { items, total, confidence } = estimateMeal(text, locale);
        expect(estimateMeal(text, locale).total).toEqual(total);
        for (const item of [...items, { ...total, grams: 0, confidence }])
          for (const value of [
            item.grams,
            item.calories,
            item.protein,
            item.carbs,
            item.fats,
            item.confidence,
          ])
            expect(Number.isFinite(value) && value >= 0).toBe(true);
        for (const nutrient of NUTRIENTS)
          expect(total[nutrient]).toBeCloseTo(
            items.reduce((sum, item) => sum + item[nutrient], 0),
            1,
          );
        expect(Number.isInteger(total.calories)).toBe(true);
        expect(confidence).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the longest allowed text is read within a time bound', () => {
  for (const text of [
    'bananna '.repeat(500),
    '('.repeat(4_000),
    '1 1 1 1 '.repeat(500),
    'no and or '.repeat(400),
  ]) {
    const startedAt = performance.now();
    estimateMeal(text.slice(0, 4_000));
    expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(1_000));
  }
});

test('a count after a dish belongs to the dish, and another milk replaces the milk in a drink', () => {
  const grams = (text: string, locale = 'en') =>
    estimateMeal(text, locale).items.map(({ name, grams: weight }) => [name, Math.round(weight)]);
  expect(grams('rice cakes with avocado x2')[0]).toEqual(['Rice cakes', 18]);
  expect(estimateMeal('rice cakes with avocado x2', 'en').total.calories).toBeLessThan(250);
  expect(grams('toast with butter x3')[0]).toEqual(['Toast', 81]);
  const [coffee, milk] = grams('latte with oat milk');
  expect(coffee?.[0]).toBe('Latte');
  expect(Number(coffee?.[1]) + Number(milk?.[1])).toBe(300);
  expect(estimateMeal('cappuccino with skim milk', 'en').total.calories).toBeLessThan(
    estimateMeal('cappuccino', 'en').total.calories,
  );
});

test.each([
  ['1 000 ml skim milk', 'en', 1_000],
  ['2 000 g Kartoffeln', 'de', 2_000],
  ['1’500 g potatoes', 'en', 1_500],
  ['1\u202f250 g de pommes', 'fr', 1_250],
  ['2 200 g steaks', 'en', 400],
])('digits in groups of three are one number, a count and a weight are two: %s', (text, locale, grams) => {
  const [item] = estimateMeal(text, locale).items;
  expect(Math.abs((item?.grams ?? 0) - grams) / grams).toBeLessThan(0.05);
});

test('an amount of zero is in `unknown`, and "coke 0" is a cola without sugar', () => {
  expect(estimateMeal('0 g milk', 'en')).toMatchObject({ items: [], unknown: ['0 g milk'] });
  expect(estimateMeal('coke 0', 'en').items.map(({ name }) => name)).toEqual(['Diet cola']);
});
