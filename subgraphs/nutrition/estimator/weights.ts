import { measureGrams, portionGrams, type Food } from '../foods/food.ts';
import { isEmpty, type Amount } from './amounts.ts';
import { milkShare } from './food-kinds.ts';
import type { Mention } from './mention.ts';

/** The weight of a mention in grams, and its source, on which the confidence depends. */
export interface Weight {
  grams: number;
  source: Source;
  /** Whether the weight, or its energy, is more than a person eats of the food at a meal. */
  implausible: boolean;
}

/** The source of a weight. `docs/nutrition.md` says how the confidence of each source was measured. */
export type Source = 'weight' | 'energy' | 'measure' | 'pieces' | 'vessel' | 'portion' | 'filling';

const MAX_GRAMS = 20_000;
/** A greater weight of one food is more than a person eats at a meal. */
const MEAL_GRAMS = 1_500;
/** Lower maximums, of the weight and of its energy, for a weight that is assumed because the text states none. */
const MAX_GUESSED_GRAMS = { beverages: 1_100, other: 750 } as const;
const MAX_GUESSED_KCAL = 1_600;

/** The usual weights of fillings, in grams, by category. */
const FILLING_GRAMS: Readonly<Record<string, number>> = {
  meat: 60,
  fish: 70,
  eggs: 60,
  dairy: 30,
  vegetables: 30,
  sauces: 20,
  fats: 8,
  legumes: 60,
  nuts: 20,
  fruit: 60,
  sweets: 20,
};
/** The usual weights of the fillings of pasta and salads, in grams, by category. */
const IN_MEALS: Readonly<Record<string, number>> = { meat: 100, fish: 100, vegetables: 50, sauces: 60 };

/** The contents of a vessel, in millilitres of a liquid and in grams of other food, if the table has no weight for it. */
const VESSELS: Readonly<Record<string, { millilitres: number; grams: number }>> = {
  bowl: { millilitres: 300, grams: 250 },
  plate: { millilitres: 300, grams: 300 },
  glass: { millilitres: 240, grams: 150 },
  mug: { millilitres: 300, grams: 240 },
  can: { millilitres: 330, grams: 240 },
  bottle: { millilitres: 500, grams: 500 },
  pint: { millilitres: 473, grams: 473 },
  container: { millilitres: 150, grams: 150 },
  jar: { millilitres: 300, grams: 250 },
  shot: { millilitres: 40, grams: 40 },
  splash: { millilitres: 20, grams: 15 },
  drizzle: { millilitres: 8, grams: 8 },
  dollop: { millilitres: 25, grams: 25 },
  dash: { millilitres: 1, grams: 1 },
  pinch: { millilitres: 0.4, grams: 0.4 },
  handful: { millilitres: 60, grams: 30 },
  packet: { millilitres: 200, grams: 40 },
  bag: { millilitres: 200, grams: 50 },
  knob: { millilitres: 10, grams: 10 },
};
/** Millilitres of the measures of volume. */
const VOLUMES: Readonly<Record<string, number>> = {
  cup: 236.6,
  tbsp: 14.79,
  tsp: 4.93,
  'fl oz': 29.57,
  pint: 473,
};
/** The weight of a size, relative to a medium piece. */
const SIZES: Readonly<Record<string, number>> = {
  mini: 0.4,
  small: 0.75,
  medium: 1,
  large: 1.35,
  'extra large': 1.6,
  jumbo: 1.6,
};

/**
 * The weight of a mention.
 * @param base the base of the mention's dish, if the mention is part of one
 * @param isOnlyFilling whether the dish has exactly one filling
 */
export function weightOf(mention: Mention, base: Mention | undefined, isOnlyFilling = false): Weight {
  const { food, amount } = mention;
  const { grams, source } = readWeight(mention, base, isOnlyFilling);
  const bounded = Number.isFinite(grams) ? Math.min(MAX_GRAMS, grams) : MAX_GRAMS;
  const guessed = source !== 'weight' && source !== 'energy' && amount.millilitres === undefined;
  const most = food.category === 'beverages' ? MAX_GUESSED_GRAMS.beverages : MAX_GUESSED_GRAMS.other;
  return {
    grams: bounded,
    source,
    implausible:
      bounded > MEAL_GRAMS ||
      (amount.energy ?? 0) * (amount.count ?? 1) > 3_000 ||
      (guessed && (bounded > most || (bounded * food.per100g.calories) / 100 > MAX_GUESSED_KCAL)),
  };
}

function readWeight(
  mention: Mention,
  base: Mention | undefined,
  isOnlyFilling: boolean,
): { grams: number; source: Source } {
  const { food, amount, companions, replacesMilkOf: drink } = mention;
  const count = amount.count ?? 1;
  if (drink) {
    const whole = weightOf(drink, undefined);
    return { grams: whole.grams * milkShare(drink.food), source: whole.source };
  }
  if (amount.energy !== undefined && food.per100g.calories >= 1)
    return { grams: (count * amount.energy * 100) / food.per100g.calories, source: 'energy' };
  const ounce = measureGrams(food, 'fl oz');
  if (amount.ounces && ounce !== undefined)
    return { grams: (count * (amount.grams ?? 0) * ounce) / 28.35, source: 'measure' };
  if (amount.grams !== undefined) return { grams: count * amount.grams, source: 'weight' };
  if (amount.millilitres !== undefined)
    return { grams: count * amount.millilitres * density(food), source: 'weight' };
  if (mention.role === 'filling' && isEmpty(amount))
    return {
      grams: fillingGrams(food, base, isOnlyFilling) * Math.min(4, baseCount(base)),
      source: 'filling',
    };
  if (isEmpty(amount)) return { grams: gramsWith(food, companions) ?? portionGrams(food), source: 'portion' };
  const one = amount.measure === undefined ? pieceOf(food, amount) : measureOf(food, amount.measure, amount);
  // "a few grapes" are more than three grapes
  const few = amount.vague && count === 3 && one.grams < 8 ? 2 : 1;
  return { grams: count * few * one.grams, source: one.source };
}

/** How many slices or sandwiches the base of a dish has, each with the filling; 1 for other bases. */
const baseCount = (base: Mention | undefined): number =>
  base?.amount.measure === 'slice' || base?.food.id.startsWith('toast')
    ? (base?.amount.count ?? 1)
    : base?.amount.measure === 'sandwich'
      ? (base.amount.count ?? 1)
      : 1;

function fillingGrams(food: Food, base: Mention | undefined, isOnlyFilling: boolean): number {
  const isMeal = base !== undefined && ['pasta', 'lettuce'].includes(base.food.id);
  const usual = (isMeal ? IN_MEALS[food.category] : undefined) ?? FILLING_GRAMS[food.category];
  if (food.id === 'avocado') return 60;
  if (food.id === 'bacon') return 24;
  if (usual === undefined) return portionGrams(food);
  if (base?.food.id === 'burger_bun' && ['meat', 'fish', 'legumes'].includes(food.category)) return 100;
  return Math.min(usual * (isOnlyFilling ? 1.35 : 1), Math.max(portionGrams(food), 4));
}

type Measured = { grams: number; source: Source };

function measureOf(food: Food, measure: string, amount: Amount): Measured {
  const factor = amount.size === undefined ? 1 : (SIZES[amount.size] ?? 1);
  const scaled = (grams: number, source: Source): Measured => ({
    grams: grams * factor,
    source: factor === 1 ? source : 'vessel',
  });
  if (measure === 'sandwich') return scaled(food.id === 'bread_french' ? 100 : 60, 'vessel');
  if (
    measure === 'piece' &&
    measureGrams(food, 'slice') !== undefined &&
    measureGrams(food, 'whole') !== undefined
  )
    return scaled(measureGrams(food, 'slice') ?? 0, 'pieces');
  if (measure === 'piece' || measure === 'steak') return pieceOf(food, amount);
  if (measure === 'whole') {
    const whole = measureGrams(food, 'whole') ?? measureGrams(food, 'piece');
    return whole === undefined ? pieceOf(food, amount) : scaled(whole, 'pieces');
  }
  if (measure === 'portion')
    return amount.size !== undefined && measureGrams(food, amount.size) !== undefined
      ? { grams: measureGrams(food, amount.size) ?? 0, source: 'measure' }
      : scaled(measureGrams(food, 'portion') ?? portionGrams(food), 'portion');
  const weighed = measureGrams(food, measure);
  if (weighed !== undefined) {
    const isVague = VESSELS[measure] !== undefined && food.category !== 'beverages';
    return scaled(weighed, isVague ? 'vessel' : 'measure');
  }
  const volume = VOLUMES[measure];
  if (volume !== undefined) return scaled(volume * density(food), hasDensity(food) ? 'measure' : 'vessel');
  const vessel = VESSELS[measure];
  if (!vessel) {
    const piece = pieceOf(food, amount);
    return { grams: piece.grams, source: measure === 'slice' || measure === 'fillet' ? 'vessel' : 'portion' };
  }
  if (food.category === 'beverages' || (hasLiquidMeasure(food) && measure !== 'handful'))
    return scaled(vessel.millilitres * density(food), 'vessel');
  return scaled(
    ['bowl', 'plate'].includes(measure) ? Math.max(portionGrams(food), vessel.grams * 0.6) : vessel.grams,
    'vessel',
  );
}

/** The weight of one piece, of a size if the text says one. */
function pieceOf(food: Food, amount: Amount): Measured {
  const whole = measureGrams(food, 'whole');
  const piece = whole ?? measureGrams(food, 'piece') ?? measureGrams(food, 'medium');
  if (amount.size !== undefined) {
    const weighed = measureGrams(food, amount.size);
    if (weighed !== undefined) return { grams: weighed, source: 'measure' };
    return { grams: (piece ?? portionGrams(food)) * (SIZES[amount.size] ?? 1), source: 'vessel' };
  }
  if (piece !== undefined && whole === undefined) return { grams: piece, source: 'pieces' };
  if (piece !== undefined) return { grams: piece, source: 'vessel' };
  return { grams: portionGrams(food), source: 'portion' };
}

/** Measures with their millilitres: if the table has the weight of one of them, the density of the food is known. */
const DENSITY_MEASURES = [
  ['fl oz', 29.57],
  ['cup', 236.6],
  ['tbsp', 14.79],
  ['tsp', 4.93],
] as const;
const hasDensity = (food: Food): boolean =>
  DENSITY_MEASURES.some(([name]) => measureGrams(food, name) !== undefined);
const hasLiquidMeasure = (food: Food): boolean =>
  measureGrams(food, 'fl oz') !== undefined || ['soups', 'dairy', 'sauces'].includes(food.category);

/** Grams of one millilitre, by the first volume for which the table has a weight; without such a volume that of water. */
function density(food: Food): number {
  for (const [name, millilitres] of DENSITY_MEASURES) {
    const grams = measureGrams(food, name);
    if (grams !== undefined) return grams / millilitres;
  }
  return 1;
}

const CEREALS = new Set(
  'cornflakes granola oats_dry oatmeal muesli bran_flakes cheerios honey_cereal choco_cereal special_k rice_krispies weetabix shredded_wheat'.split(
    ' ',
  ),
);
const HOT_DRINKS = new Set('coffee_black tea espresso double_espresso tea_green coffee_cold_brew'.split(' '));

/** Grams of milk, cream or honey in a hot drink or over cereals, which is less than a portion; undefined in other cases. */
function gramsWith(food: Food, companions: readonly Food[]): number | undefined {
  const isMilk = food.id.startsWith('milk_') || food.id.includes('milk_unsw') || food.id === 'oat_milk';
  if (isMilk && companions.some(({ id }) => HOT_DRINKS.has(id))) return 30;
  if (isMilk && companions.some(({ id }) => CEREALS.has(id))) return 150;
  if (food.id === 'cream_heavy' && companions.some(({ id }) => HOT_DRINKS.has(id))) return 15;
  if (food.id === 'honey' && companions.some(({ id }) => HOT_DRINKS.has(id))) return 10;
  return undefined;
}
