import { invalid } from '#server/errors.ts';
import type { FoodNutrients, FoodShape } from '../foods/foods.shapes.ts';
import { grams as rounded, nutrientsBy, roundedNutrient, type Nutrients } from '../nutrients.ts';
import { implausibilityOf } from '../plausibility.ts';
import { beyondLimit } from './entry-limits.ts';
import type { FoodLog } from './food-log.entity.ts';
import type { FoodLogChange, LogEntry } from './food-logs.shapes.ts';

/** The food and the amount of an entry. */
type EntryValues = Pick<FoodLog, 'foodName' | 'quantity' | 'unit' | 'grams' | keyof Nutrients>;
type Amount = { [Field in 'quantity' | 'unit' | 'grams']: NonNullable<EntryValues[Field]> | null };

/**
 * @param path the path of the entry in the input, such as `entries.2.`
 * @param amount the field that the error names if a value is beyond its limit. The shapes have checked the values of the input,
 * so a value beyond its limit was calculated from this field.
 * @param before the stored entry if it is changed; values that stay as they are may be beyond their limits
 * @throws VALIDATION_FAILED for an implausible entry, or one with a value beyond its limit
 */
export function checkPlausible(
  values: EntryValues,
  {
    path = '',
    amount = 'grams',
    before,
  }: { path?: string; amount?: 'quantity' | 'grams'; before?: EntryValues },
): void {
  const beyond = beyondLimit(values, before);
  if (beyond)
    throw invalid(
      `${path}${amount}`,
      `expected an amount with ${beyond.name} of at most ${beyond.limit}, got one with ${beyond.value}`,
    );
  const doubt = implausibilityOf(values);
  if (doubt) throw invalid(`${path}${doubt.path}`, doubt.message);
}

/**
 * The values of a new entry. If it has a food, absent values are calculated from the food: the name; the weight, from
 * quantity and unit, or from the usual portion if the entry has no amount at all; and the nutrients, from the weight. If
 * the weight is unknown, the other absent nutrients are 0.
 * @throws VALIDATION_FAILED if an entry with a food has neither `calories` nor a known weight
 */
export function valuesOf(entry: LogEntry, food: FoodShape | undefined, path = ''): EntryValues {
  const foodName = entry.foodName ?? food?.name ?? '';
  const given: Amount = {
    quantity: entry.quantity ?? null,
    unit: entry.unit ?? null,
    grams: entry.grams ?? null,
  };
  if (!food) return { foodName, ...given, ...nutrientsBy((name) => entry[name] ?? 0) };
  const amount = amountOf(given, food);
  if (amount.grams === null && (entry.calories === null || entry.calories === undefined))
    throw invalid(
      `${path}grams`,
      `expected the weight, or a quantity of ${['g', ...food.measures.map(({ name }) => name)].slice(0, 10).join(', ')}`,
    );
  const ofFood = nutrientsIn(food.per100g, amount.grams ?? 0);
  return { foodName, ...amount, ...nutrientsBy((name) => entry[name] ?? ofFood[name]) };
}

/**
 * The values of an entry after a change. If the weight or the food changes, the nutrients that the change does not contain
 * are calculated: from the new food if the weight is known, else in proportion to the weight. The quantity also changes in
 * proportion to the weight, unless the change contains a quantity or a unit.
 */
export function changedValues(
  entry: EntryValues,
  change: FoodLogChange,
  food: FoodShape | undefined,
): EntryValues {
  const grams = (change.grams === undefined ? entry.grams : change.grams) ?? null;
  const factor = entry.grams && grams ? grams / entry.grams : 1;
  const base = food && grams ? nutrientsIn(food.per100g, grams) : scaled(entry, factor);
  const quantity = change.unit === undefined ? scaledQuantity(entry.quantity, factor) : entry.quantity;
  return {
    foodName: change.foodName ?? food?.name ?? entry.foodName,
    ...nutrientsBy((name) => change[name] ?? base[name]),
    quantity: (change.quantity === undefined ? quantity : change.quantity) ?? null,
    unit: (change.unit === undefined ? entry.unit : change.unit) ?? null,
    grams,
  };
}

const nutrientsIn = (per100g: FoodNutrients, weight: number): Nutrients =>
  nutrientsBy((name) => roundedNutrient(name, ((per100g[name] ?? 0) * weight) / 100));

/** The nutrients times a factor. With the factor 1 they are returned unchanged, so that they keep all their decimals. */
const scaled = (entry: Nutrients, factor: number): Nutrients =>
  factor === 1 ? entry : nutrientsBy((name) => roundedNutrient(name, entry[name] * factor));

const scaledQuantity = (quantity: number | null | undefined, factor: number): number | null | undefined =>
  factor === 1 || quantity === null || quantity === undefined
    ? quantity
    : Math.max(0.001, rounded(quantity * factor));

/** Grams of one unit, if the food has no measure of that name. */
const WEIGHTS: Readonly<Record<string, number>> = {
  g: 1,
  gram: 1,
  grams: 1,
  kg: 1_000,
  oz: 28.35,
  lb: 453.6,
};

function amountOf(given: Amount, food: FoodShape): Amount {
  const { quantity, unit, grams } = given;
  if (grams !== null) return given;
  if (quantity === null && unit === null)
    return food.portion
      ? { quantity: food.portion.amount, unit: food.portion.unit, grams: food.portion.grams }
      : given;
  const name = unit?.toLowerCase() ?? '';
  const each = food.measures.find((measure) => measure.name.toLowerCase() === name)?.grams ?? WEIGHTS[name];
  return { ...given, grams: each === undefined ? null : rounded(each * (quantity ?? 1)) };
}
