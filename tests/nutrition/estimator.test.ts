import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { estimateMeal } from '../../subgraphs/nutrition/estimator/estimate.ts';
import { FOOD_TABLE } from '../../subgraphs/nutrition/foods/food-table.ts';
import { MEALS } from './meals.ts';

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
/** Within the range that the confidence states; a kilocalorie or gram is rounding. */
const isWithin = (estimated: number, truth: number, confidence: number) =>
  Math.abs(estimated - truth) <= Math.max(2, estimated * (1 - confidence));

test('a hundred meals: at least ninety are within their stated range, in every nutrient', () => {
  expect(MEALS).toHaveLength(100);
  const outside = MEALS.filter(([text, foods]) => {
    const { total, confidence } = estimateMeal(text);
    const truth = byHand(foods);
    return !NUTRIENTS.every((nutrient) => isWithin(total[nutrient], truth[nutrient], confidence));
  }).map(([text]) => text);
  expect(outside).toEqual([]);
});

test('of the same meals the foods themselves are found, each once, none besides', () => {
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

describe('what is not known is said, never invented', () => {
  test.each([
    ['dragonfruit smoothie', ['dragonfruit smoothie']],
    ['apple strudel and a glass of milk', ['apple strudel']],
    ['chicken tikka masala with rice', ['chicken tikka masala']],
    ['banana bread', ['banana bread']],
    ['asdf qwer', ['asdf qwer']],
    ['200 g of unobtainium, 1 egg', ['unobtainium']],
  ])('%s', (text, unknown) => {
    const { items, questions, confidence } = estimateMeal(text);
    expect(items.filter((item) => !item.known)).toEqual(
      unknown.map((name) =>
        expect.objectContaining({ name, calories: 0, protein: 0, carbs: 0, fats: 0, confidence: 0 }),
      ),
    );
    for (const name of unknown) expect(questions.join()).toContain(`"${name}"`);
    expect(confidence).toBeLessThan(0.7);
  });

  test('a word beside a known food is asked about', () => {
    const { items, questions } = estimateMeal('100 g frobnicated xyzzy rice');
    expect(items).toMatchObject([{ calories: 130 }]);
    expect(items[0]?.confidence).toBeLessThan(0.8);
    expect(questions.join()).toContain('xyzzy');
  });
});

test('what is not eaten is not counted', () => {
  const names = (text: string) => estimateMeal(text).items.map((item) => item.name);
  expect(names('coffee without milk or sugar')).toEqual(['Coffee, black']);
  expect(names('burger, no cheese, no mayo and a banana')).toEqual([
    'Hamburger, single with condiments',
    'Banana',
  ]);
  expect(names('tea, no milk and sugar')).toEqual(['Tea, black, brewed']);
});

test('a confidence means something: a weight more than a measure, that more than a portion, a slip less', () => {
  const confidence = (text: string) => estimateMeal(text).items[0]?.confidence ?? 0;
  const falling = ['200 g rice', '1 cup rice', 'a bowl of rice', 'rice'].map(confidence);
  expect(falling).toEqual(falling.toSorted((one, other) => other - one));
  expect(new Set(falling).size).toBe(4);
  expect(confidence('2 bananas')).toBeGreaterThan(confidence('2 banannas'));
});

test('whatever is written, the answer has its shape: finite, not negative, total the sum of its items', () => {
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
      (text) => {
        const { items, total, confidence } = estimateMeal(text);
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

test('the longest text there may be takes less than a second', () => {
  for (const text of [
    'bananna '.repeat(500),
    '('.repeat(4_000),
    '1 1 1 1 '.repeat(500),
    'no and or '.repeat(400),
  ]) {
    const startedAt = performance.now();
    estimateMeal(text.slice(0, 4_000));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  }
});
