import { FOOD_TABLE } from './food-table.ts';
import { nutrientsOf, type Food } from './food.ts';
import { divided, sum } from '../nutrients.ts';

/** A usual recipe in grams of foods of the table: a dish is a guess, and its confidence says so. */
const RECIPES: readonly {
  name: string;
  aliases: readonly string[];
  parts: readonly (readonly [foodId: string, grams: number])[];
}[] = [
  {
    name: 'Latte',
    aliases: ['latte', 'caffe latte', 'cafe latte', 'iced latte'],
    parts: [
      ['milk_whole', 220],
      ['coffee_black', 30],
    ],
  },
  {
    name: 'Cappuccino',
    aliases: ['cappuccino', 'capuccino'],
    parts: [
      ['milk_whole', 130],
      ['coffee_black', 30],
    ],
  },
  {
    name: 'Flat white',
    aliases: ['flat white'],
    parts: [
      ['milk_whole', 120],
      ['coffee_black', 60],
    ],
  },
  {
    name: 'Hot chocolate',
    aliases: ['hot chocolate', 'hot cocoa'],
    parts: [
      ['milk_whole', 220],
      ['milk_chocolate', 25],
    ],
  },
  {
    name: 'Macaroni and cheese',
    aliases: ['mac and cheese', 'macaroni and cheese', 'mac n cheese'],
    parts: [
      ['pasta', 180],
      ['cheddar', 50],
      ['milk_whole', 60],
      ['butter', 8],
    ],
  },
  {
    name: 'Spaghetti bolognese',
    aliases: ['spaghetti bolognese', 'pasta bolognese', 'spag bol', 'spaghetti with meat sauce'],
    parts: [
      ['pasta', 220],
      ['beef_ground_80', 85],
      ['tomato_sauce_pasta', 130],
      ['olive_oil', 5],
    ],
  },
  {
    name: 'Grilled cheese sandwich',
    aliases: ['grilled cheese', 'grilled cheese sandwich', 'cheese toastie', 'toasted cheese sandwich'],
    parts: [
      ['bread_white', 58],
      ['cheddar', 56],
      ['butter', 10],
    ],
  },
  {
    name: 'BLT sandwich',
    aliases: ['blt', 'blt sandwich'],
    parts: [
      ['bread_white', 58],
      ['bacon', 24],
      ['lettuce', 15],
      ['tomato', 40],
      ['mayonnaise', 14],
    ],
  },
  {
    name: 'Avocado toast',
    aliases: ['avocado toast', 'avo toast', 'avocado on toast', 'avo on toast'],
    parts: [
      ['toast_ww', 35],
      ['avocado', 70],
      ['olive_oil', 3],
    ],
  },
  {
    name: 'Beans on toast',
    aliases: ['beans on toast', 'baked beans on toast'],
    parts: [
      ['toast_white', 54],
      ['baked_beans', 200],
    ],
  },
  {
    name: 'Peanut butter and jam sandwich',
    aliases: [
      'peanut butter and jelly',
      'peanut butter and jelly sandwich',
      'peanut butter and jam sandwich',
      'pb and j',
      'pbj',
    ],
    parts: [
      ['bread_white', 58],
      ['peanut_butter', 32],
      ['jam', 20],
    ],
  },
  {
    name: 'Chicken burrito',
    aliases: ['chicken burrito'],
    parts: [
      ['tortilla_flour', 72],
      ['chicken_breast', 90],
      ['rice_white', 80],
      ['black_beans', 60],
      ['cheddar', 20],
      ['salsa', 30],
    ],
  },
];

/** Dishes of several foods, as foods of their own. */
export const DISHES: readonly Food[] = RECIPES.map(({ name, aliases, parts }) => {
  const held = parts.map(([id, grams]) => {
    const food = FOOD_TABLE.find((candidate) => candidate.id === id);
    if (!food) throw new Error(`The food table has no "${id}", which ${name} needs.`);
    return { nutrients: nutrientsOf(food, grams), grams };
  });
  const weight = held.reduce((total, part) => total + part.grams, 0);
  return {
    id: `dish_${name.toLowerCase().replaceAll(/\W+/g, '_')}`,
    ndb: '',
    name,
    category: 'dishes',
    aliases,
    per100g: divided(sum(held.map((part) => part.nutrients)), weight / 100),
    measures: { piece: weight, cup: 240 },
    portion: { amount: 1, unit: 'piece' },
  };
});
