import { invalid } from '#server/errors.ts';
import type { FoodNutrients, FoodShape } from '../foods/foods.shapes.ts';
import { grams as rounded } from '../nutrients.ts';
import { implausibilityOf } from '../plausibility.ts';
import type { FoodLog } from './food-log.entity.ts';
import type { FoodLogChange, LogEntry } from './food-logs.shapes.ts';

/** What an entry says of a food and its amount. */
export type EntryValues = Pick<
  FoodLog,
  'foodName' | 'calories' | 'protein' | 'carbs' | 'fats' | 'quantity' | 'unit' | 'grams'
>;

/** @throws VALIDATION_FAILED for an entry that cannot be; `path` leads to it, for example `entries.2.` */
export function checkPlausible(values: EntryValues, path = ''): void {
  const doubt = implausibilityOf(values);
  if (doubt) throw invalid(`${path}${doubt.path}`, doubt.message);
}

/**
 * The values of a new entry. With a food, what the entry does not say follows from it: the name, the weight from
 * quantity and unit (or the usual portion if it says no amount at all), the nutrients from the weight.
 * @throws VALIDATION_FAILED if nutrients are to follow from a food whose amount is not known
 */
export function valuesOf(entry: LogEntry, food: FoodShape | undefined, path = ''): EntryValues {
  const said = {
    foodName: entry.foodName ?? food?.name ?? '',
    quantity: entry.quantity ?? null,
    unit: entry.unit ?? null,
    grams: entry.grams ?? null,
  };
  if (!food)
    return {
      ...said,
      calories: entry.calories ?? 0,
      protein: entry.protein ?? 0,
      carbs: entry.carbs ?? 0,
      fats: entry.fats ?? 0,
    };
  const amount = amountOf(said, food);
  if (amount.grams === null && (entry.calories === null || entry.calories === undefined))
    throw invalid(
      `${path}grams`,
      `expected the weight, or a quantity of ${['g', ...food.measures.map(({ name }) => name)].slice(0, 10).join(', ')}`,
    );
  const held = amount.grams === null ? NOTHING : nutrientsIn(food.per100g, amount.grams);
  return {
    ...said,
    ...amount,
    calories: entry.calories ?? held.calories,
    protein: entry.protein ?? held.protein,
    carbs: entry.carbs ?? held.carbs,
    fats: entry.fats ?? held.fats,
  };
}

/**
 * Applies a change to the values of an entry. If its weight changes, or the food that it names, the nutrients that the
 * change does not give follow: from the new food, else in proportion to the weight, as does the quantity.
 */
export function changedValues(
  entry: EntryValues,
  change: FoodLogChange,
  food: FoodShape | undefined,
): EntryValues {
  const grams = change.grams === undefined ? entry.grams : change.grams;
  const base = food && grams ? nutrientsIn(food.per100g, grams) : scaled(entry, grams ?? null);
  return {
    foodName: change.foodName ?? food?.name ?? entry.foodName,
    calories: change.calories ?? base.calories,
    protein: change.protein ?? base.protein,
    carbs: change.carbs ?? base.carbs,
    fats: change.fats ?? base.fats,
    quantity:
      change.quantity !== undefined
        ? change.quantity
        : change.unit === undefined
          ? scaledQuantity(entry, grams ?? null)
          : (entry.quantity ?? null),
    unit: change.unit === undefined ? (entry.unit ?? null) : change.unit,
    grams: grams ?? null,
  };
}

type Held = Pick<EntryValues, 'calories' | 'protein' | 'carbs' | 'fats'>;
const NOTHING: Held = { calories: 0, protein: 0, carbs: 0, fats: 0 };

const nutrientsIn = (per100g: FoodNutrients, weight: number): Held => ({
  calories: Math.round((per100g.calories * weight) / 100),
  protein: rounded(((per100g.protein ?? 0) * weight) / 100),
  carbs: rounded(((per100g.carbs ?? 0) * weight) / 100),
  fats: rounded(((per100g.fats ?? 0) * weight) / 100),
});

function factorOf(entry: EntryValues, grams: number | null): number {
  return entry.grams && grams ? grams / entry.grams : 1;
}

function scaled(entry: EntryValues, grams: number | null): Held {
  const factor = factorOf(entry, grams);
  if (factor === 1) return entry;
  return {
    calories: Math.round(entry.calories * factor),
    protein: rounded(entry.protein * factor),
    carbs: rounded(entry.carbs * factor),
    fats: rounded(entry.fats * factor),
  };
}

function scaledQuantity(entry: EntryValues, grams: number | null): number | null {
  const factor = factorOf(entry, grams);
  if (entry.quantity === null || entry.quantity === undefined) return null;
  return factor === 1 ? entry.quantity : Math.max(0.001, rounded(entry.quantity * factor));
}

const WEIGHTS: Readonly<Record<string, number>> = {
  g: 1,
  gram: 1,
  grams: 1,
  kg: 1_000,
  oz: 28.35,
  lb: 453.6,
};

function amountOf(
  { quantity, unit, grams }: Pick<EntryValues, 'quantity' | 'unit' | 'grams'>,
  food: FoodShape,
): { quantity: number | null; unit: string | null; grams: number | null } {
  const said = { quantity: quantity ?? null, unit: unit ?? null };
  if (grams !== null && grams !== undefined) return { ...said, grams };
  if (said.quantity === null && said.unit === null)
    return food.portion
      ? { quantity: food.portion.amount, unit: food.portion.unit, grams: food.portion.grams }
      : { ...said, grams: null };
  const name = said.unit?.toLowerCase() ?? '';
  const each = food.measures.find((measure) => measure.name.toLowerCase() === name)?.grams ?? WEIGHTS[name];
  return { ...said, grams: each === undefined ? null : rounded(each * (said.quantity ?? 1)) };
}
