import { FOOD_TABLE } from '../foods/food-table.ts';
import type { Food } from '../foods/food.ts';

/** Kinds of foods, by which the parser decides which words of a meal text belong together. */

const HEADS = new Set('bakery sweets dishes soups beverages snacks fast_food sauces supplements'.split(' '));
/** Whether a food can be the last noun of a name to which the foods before it add a flavour or a filling: "mango yogurt". */
export const isHead = (food: Food): boolean => HEADS.has(food.category) || food.id.startsWith('yogurt');
/** Sweets that are a flavour if another food follows: "chocolate cake". */
export const TASTES = new Set([
  'milk_chocolate',
  'honey',
  'jam',
  'maple_syrup',
  'caramel_sauce',
  'dark_chocolate',
  'toffee',
  'cocoa',
  'white_chocolate',
]);

export const isBread = (food: Food): boolean =>
  /^(bread|toast|rye|multigrain|pumpernickel|brioche|focaccia|gluten_free|ezekiel)/.test(food.id);
/** Potatoes, rice and pasta: foods that are eaten beside a dish, and not in it. */
export const isSideDish = (food: Food): boolean => /^(potato|french_fries|chips|rice|pasta)/.test(food.id);

const GENERIC = new Set(
  'mixed_nuts cheddar cod ice_cream milk_chocolate bread_white bread_ww lettuce soup_vegetable curry_chicken stir_fry_chicken beef_stew fruit_salad mixed_vegetables pasta hamburger chicken_pie cola water chili_con_carne'.split(
    ' ',
  ),
);
/** "Ben and Jerry's ice cream", "Brie cheese", "tuna niçoise salad": a general word after a food means the same food. */
export const addsNothing = (before: Food, food: Food): boolean =>
  GENERIC.has(food.id) &&
  (before.category === food.category ||
    (before.category === 'dishes' && ['lettuce', 'pasta', 'soup_vegetable'].includes(food.id)));

const categories = new Map(
  FOOD_TABLE.flatMap(({ ndb, category }) => (ndb ? [[ndb, category] as const] : [])),
);
export const categoryOf = (ndb: string): string | undefined => categories.get(ndb);

const COW_MILK = new Set(['01077', '01079', '01082', '01085']);
/** Whether a food is in the group 14 of SR28, beverages; it includes coffee, tea and chocolate syrup. */
const isBeverage = (ndb: string): boolean => ndb.startsWith('14');

/** The share of milk in a drink that is made of milk and something else, by weight; 0 for all other foods. */
export function milkShare({ recipe }: Food): number {
  const parts = recipe?.parts ?? [];
  if (parts.length < 2 || !parts.every(([ndb]) => COW_MILK.has(ndb) || isBeverage(ndb))) return 0;
  const gramsOf = (some: typeof parts) => some.reduce((sum, [, grams]) => sum + grams, 0);
  return gramsOf(parts.filter(([ndb]) => COW_MILK.has(ndb))) / gramsOf(parts);
}

const VARIABLE = new Set(['bakery', 'soups', 'sauces', 'supplements', 'fast_food', 'dishes']);
/** Whether foods of this name differ much, as dishes, soups and baked goods do. The table has only a usual one. */
export const isVariable = (food: Food): boolean => VARIABLE.has(food.category) || food.recipe !== undefined;
