/**
 * Recomputes the figures of the food table from the facts of USDA SR28, and reports every difference.
 *
 *   node scripts/food-figures.ts FACTS [--write]
 *
 * FACTS is a file of JSON lines: a header object, then one array for each food. An array contains the food's number,
 * group, description and common name, then per 100 g: kcal, protein, carbohydrates, fat, fibre, sugars (g) and sodium
 * (mg). The exit code is 1 if a figure differs; `--write` corrects the food table instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { FoodSchema, type Food } from '../subgraphs/nutrition/foods/food.ts';

const DATA = new URL('../subgraphs/nutrition/foods/data/foods.jsonl', import.meta.url);
const COLUMNS = { calories: 4, protein: 5, carbs: 6, fats: 7, fibre: 8, sugars: 9, salt: 10 } as const;
const SALT_PER_MG_SODIUM = 2.5 / 1000;

type Fact = readonly unknown[];

const [facts, write] = [process.argv[2], process.argv.includes('--write')];
if (!facts) {
  console.error('usage: node scripts/food-figures.ts FACTS [--write]');
  process.exit(2);
}
const byNumber = new Map(
  linesOf(readFileSync(facts, 'utf8'))
    .slice(1)
    .map((line) => JSON.parse(line) as Fact)
    .map((fact) => [String(fact[0]), fact]),
);
const foods = linesOf(readFileSync(DATA, 'utf8')).map((line) => FoodSchema.parse(JSON.parse(line)));
const corrected = foods.map((food) => ({ ...food, per100g: figuresOf(food) }));
const different = corrected.filter(
  ({ per100g }, index) => JSON.stringify(per100g) !== JSON.stringify(foods[index]?.per100g),
);
for (const { id, per100g } of different) console.log(id, JSON.stringify(per100g));
console.log(`${foods.length} foods, ${different.length} whose figures differ from the facts`);
if (write) writeFileSync(DATA, corrected.map((food) => `${JSON.stringify(food)}\n`).join(''));
else if (different.length > 0) process.exitCode = 1;

function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

function figuresOf({ id, ndb, recipe }: Food): Food['per100g'] {
  const parts = recipe?.parts ?? [[ndb ?? '', 100] as const];
  const totalGrams = recipe?.grams ?? parts.reduce((sum, [, grams]) => sum + grams, 0);
  const column = (nutrient: keyof typeof COLUMNS): number | null => {
    let sum = 0;
    for (const [number, grams] of parts) {
      const fact = byNumber.get(number);
      if (!fact) throw new Error(`The facts have no food ${number}, which ${id} needs.`);
      const value = fact[COLUMNS[nutrient]];
      if (typeof value !== 'number') return null;
      sum += (value * grams * (nutrient === 'salt' ? SALT_PER_MG_SODIUM : 1)) / 100;
    }
    return Math.round((sum / totalGrams) * 100 * 1000) / 1000;
  };
  const required = (nutrient: keyof typeof COLUMNS): number => {
    const value = column(nutrient);
    if (value === null) throw new Error(`The facts have no ${nutrient} of ${id}.`);
    return value;
  };
  return {
    calories: required('calories'),
    protein: required('protein'),
    carbs: required('carbs'),
    fats: required('fats'),
    fibre: column('fibre'),
    sugars: column('sugars'),
    salt: column('salt'),
  };
}
