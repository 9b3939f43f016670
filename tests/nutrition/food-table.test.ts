import { describe, expect, test } from '@jest/globals';
import { estimateMeal } from '../../subgraphs/nutrition/estimator/estimate.ts';
import { fold } from '../../subgraphs/nutrition/estimator/words.ts';
import { FOOD_TABLE, foodById } from '../../subgraphs/nutrition/foods/food-table.ts';
import { LOCALES, portionGrams, type Food } from '../../subgraphs/nutrition/foods/food.ts';

const idsOf = (foods: readonly Food[]): string[] => foods.map(({ id }) => id);

// These foods contain alcohol, which has 7 kcal a gram and is not one of the three macronutrients.
const WITH_ALCOHOL =
  /^(beer|wine|champagne|sangria|mulled|port|aperol|spirits?_?|liqueur|cream_liqueur|gin_tonic|screwdriver|mojito|margarita|pina_colada|cocktail|espresso_martini|sake|cider|hard_seltzer|shandy|mimosa|white_russian|irish_coffee|kir)/;
// These foods contain acids, sweeteners, polyols or bran, which SR28 counts as carbohydrates, with less than 4 kcal a gram.
const WITH_OTHER_CARBS = new Set(['vinegar', 'sweetener', 'cocoa', 'chewing_gum', 'oat_bran']);

test('the table has at least 700 foods, each with its own id', () => {
  expect(FOOD_TABLE.length).toBeGreaterThanOrEqual(700);
  expect(new Set(idsOf(FOOD_TABLE)).size).toBe(FOOD_TABLE.length);
});

test('the figures of each food have a source: either a food of SR28, or a recipe of such foods', () => {
  expect(idsOf(FOOD_TABLE.filter(({ ndb, recipe }) => (ndb === null) === (recipe === undefined)))).toEqual(
    [],
  );
});

test('the energy of each food agrees with its macronutrients', () => {
  const wrong = FOOD_TABLE.filter(({ id, per100g: { calories, protein, carbs, fats, fibre } }) => {
    const most = 4 * protein + 4 * carbs + 9 * fats;
    // Carbohydrates include the fibre, which has little energy.
    const least = (most - 4 * (fibre ?? 0)) * 0.85 - 12;
    return (
      !WITH_ALCOHOL.test(id) &&
      !WITH_OTHER_CARBS.has(id) &&
      !(calories >= least && calories <= most * 1.12 + 12)
    );
  });
  expect(idsOf(wrong)).toEqual([]);
});

test('the nutrients of 100 g weigh at most 100 g, and no part more than the whole', () => {
  const wrong = FOOD_TABLE.filter(
    ({ per100g: { protein, carbs, fats, fibre, sugars } }) =>
      protein + carbs + fats > 101 || (sugars ?? 0) > carbs * 1.05 + 1.5 || (fibre ?? 0) > carbs * 1.05 + 1,
  );
  expect(idsOf(wrong)).toEqual([]);
});

describe('measures', () => {
  const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
    tsp: [0.5, 9],
    tbsp: [3, 30],
    'fl oz': [25, 45],
    cup: [5, 420],
    glass: [30, 350],
    bowl: [10, 750],
    bottle: [60, 800],
    handful: [3, 90],
    slice: [1, 320],
  };

  test('each measure has a plausible weight, and a name that is unique for its food', () => {
    const wrong = FOOD_TABLE.flatMap(({ id, measures }) =>
      measures
        .filter(({ name, grams }) => {
          const [least, most] = BOUNDS[name] ?? [0.05, 1_100];
          return grams < least || grams > most;
        })
        .map(({ name, grams }) => `${id}: ${name} ${grams} g`),
    );
    expect(wrong).toEqual([]);
    expect(
      idsOf(
        FOOD_TABLE.filter(({ measures }) => new Set(measures.map(({ name }) => name)).size < measures.length),
      ),
    ).toEqual([]);
  });

  test('a larger size does not weigh less than a smaller one', () => {
    const wrong = FOOD_TABLE.filter(({ measures }) => {
      const sizes = ['small', 'medium', 'large']
        .map((name) => measures.find((measure) => measure.name === name)?.grams)
        .filter((grams) => grams !== undefined);
      return sizes.some((grams, index) => index > 0 && grams < (sizes[index - 1] ?? 0));
    });
    expect(idsOf(wrong)).toEqual([]);
  });

  test('a portion is in grams or a measure of the food, with at most 720 g and 1,200 kcal', () => {
    const wrong = FOOD_TABLE.filter(
      (food) =>
        (food.portion.unit !== 'g' && !food.measures.some(({ name }) => name === food.portion.unit)) ||
        portionGrams(food) > 720 ||
        (portionGrams(food) * food.per100g.calories) / 100 > 1_200,
    );
    expect(idsOf(wrong)).toEqual([]);
  });
});

describe.each(LOCALES)('names in %s', (locale) => {
  test('each food has one, and no two foods have the same name or alias', () => {
    const owners = new Map<string, string>();
    const twice: string[] = [];
    for (const { id, names, aliases } of FOOD_TABLE)
      for (const name of [names[locale], ...aliases[locale]]) {
        const owner = owners.get(fold(name));
        if (owner !== undefined && owner !== id) twice.push(`${name}: ${owner}, ${id}`);
        owners.set(fold(name), id);
      }
    expect(twice).toEqual([]);
  });

  test('the estimator reads the name of a food as this food, for more than 90% of the foods', () => {
    const wrong = FOOD_TABLE.filter(({ names }) => {
      const { items } = estimateMeal(`100 g ${names[locale]}`, locale);
      return items.length !== 1 || items[0]?.name !== names[locale];
    });
    // The others are names that can be read as two foods, or as an amount.
    expect(wrong.length / FOOD_TABLE.length).toBeLessThan(0.1);
  });
});

test('a food with `eatenAs` is raw or dry, and `eatenAs` is the id of the same food as eaten', () => {
  const uncooked = FOOD_TABLE.filter(({ eatenAs }) => eatenAs !== undefined);
  expect(uncooked.length).toBeGreaterThan(20);
  for (const { eatenAs, state } of uncooked) {
    expect(['raw', 'dry']).toContain(state);
    expect(['cooked', 'ready']).toContain(foodById(eatenAs ?? '')?.state);
  }
});
