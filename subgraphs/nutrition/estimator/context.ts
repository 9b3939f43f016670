import { foodById } from '../foods/food-table.ts';
import { isEmpty, isQuantity } from './amounts.ts';
import { milkShare } from './food-kinds.ts';
import type { Mention } from './mention.ts';
import { WITH } from './words.ts';

const HOT_MEALS = new Set(['meat', 'fish', 'eggs', 'fast_food', 'dishes', 'legumes']);
const ON_CHIPS = new Set(['curry_sauce', 'gravy', 'ketchup']);

/**
 * Corrects foods whose meaning depends on the other foods of the meal, or on the amount: other milk in a drink, chips with a hot
 * meal, half a chicken.
 */
export function readByContext(mentions: readonly Mention[]): void {
  for (const [index, mention] of mentions.entries()) {
    const drink = mentions[index - 1];
    if (drink && isEmpty(mention.amount) && hasOtherMilk(drink, mention)) {
      drink.excluded.push(foodById('milk_whole') ?? mention.food);
      mention.replacesMilkOf = drink;
    }
    if (meansFries(mention, mentions)) mention.food = foodById('chips_uk') ?? mention.food;
    if (meansTheBird(mention)) mention.food = foodById('chicken_roast') ?? mention.food;
  }
}

const MILK =
  /^(milk_(whole|skim|1|2)|goat_milk|oat_milk|rice_milk|soy_milk_sweet|soymilk_unsw|almond_milk_(unsw|sweet)|coconut_milk_drink)$/;

/** "cappuccino with oat milk": the milk replaces the usual milk of the drink. */
const hasOtherMilk = (drink: Mention, { food, joiner }: Mention): boolean =>
  [...WITH, 'au', ''].includes(joiner) && MILK.test(food.id) && milkShare(drink.food) > 0;

/** With a hot meal, "chips" are British chips, not crisps. */
function meansFries(mention: Mention, mentions: readonly Mention[]): boolean {
  const { food, words, amount } = mention;
  if (food.id !== 'potato_chips' || words !== 'chips') return false;
  if (amount.measure !== undefined && amount.measure !== 'portion') return false;
  return mentions.some(
    (other) =>
      other !== mention &&
      (ON_CHIPS.has(other.food.id) ||
        (HOT_MEALS.has(other.food.category) &&
          other.role !== 'filling' &&
          !/sandwich|wrap|nachos/.test(other.food.id))),
  );
}

/** "half a chicken" means half of the bird, not of a breast. */
function meansTheBird({ food, words, amount }: Mention): boolean {
  return (
    food.id === 'chicken_breast' &&
    /^(chicken|poulet|pollo|hahnchen|hendl)$/.test(words) &&
    amount.count !== undefined &&
    amount.count <= 1 &&
    (amount.measure === undefined || amount.measure === 'whole') &&
    amount.size === undefined &&
    !isQuantity(amount)
  );
}
