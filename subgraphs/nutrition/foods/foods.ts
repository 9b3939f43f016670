import { z } from 'zod';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import { searchFilter } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';
import { editDistance, singular } from '../estimator/food-names.ts';
import type { FoodShape } from './foods.shapes.ts';
import { FOOD_TABLE } from './food-table.ts';
import { nutrientsOf, portionGrams, type Food } from './food.ts';

const cursors = cursorsOf('foods', z.tuple([z.number(), z.string()]));

/** The food table, which everybody may read. It is reference data of the program and in no database. */
export class Foods {
  /**
   * By name, or best match first if there is a search; an unknown category is an empty list.
   * @throws VALIDATION_FAILED for a search that is too long
   */
  async list(
    { category, ...filter }: { search?: string | null | undefined; category?: string | null | undefined },
    request: PageRequest,
  ): Promise<Page<FoodShape>> {
    const { search } = validated(searchFilter, filter);
    const words = wordsOf(search ?? '');
    const found = FOOD_TABLE.filter((food) => !category || food.category === category.toLowerCase())
      .map((food) => ({ food, misses: missesOf(food, words) }))
      .filter(({ misses }) => misses !== undefined)
      .map(({ food, misses = 0 }) => ({ food, key: [misses, food.names.en] as [number, string] }))
      .toSorted((one, other) => compare(one.key, other.key));
    const after = cursors.read(request.cursor);
    const rest = after ? found.filter(({ key }) => compare(key, after) > 0) : found;
    const page = cursors.page(rest.slice(0, pageSize(request) + 1), request, ({ key }) => key);
    const keys = new Map(page.items.map(({ food, key }) => [food.id, key]));
    return {
      ...page,
      items: page.items.map(({ food }) => present(food)),
      cursorOf: (food) => cursors.write(keys.get(food.id) ?? [0, food.name]),
    };
  }
}

// Each word is compared with every name of the table, letter by letter.
const MAX_SEARCH_WORDS = 8;
const MAX_WORD_CHARACTERS = 40;

const wordsOf = (search: string): string[] =>
  search
    .toLowerCase()
    .split(/[^\p{L}\p{N}%]+/u)
    .filter(Boolean)
    .slice(0, MAX_SEARCH_WORDS)
    .map((word) => word.slice(0, MAX_WORD_CHARACTERS));

const compare = (one: readonly [number, string], other: readonly [number, string]): number =>
  one[0] - other[0] || (one[1] < other[1] ? -1 : one[1] > other[1] ? 1 : 0);

/** How far the words are from the best of the food's names, 0 for the name itself; undefined where a word has no like. */
function missesOf(food: Food, words: readonly string[]): number | undefined {
  if (words.length === 0) return 0;
  const scores = [food.names.en, ...food.aliases.en].map((name) => {
    const parts = name
      .toLowerCase()
      .split(/[^\p{L}\p{N}%]+/u)
      .filter(Boolean);
    let score = 0;
    for (const word of words) {
      const distance = Math.min(...parts.map((part) => distanceOf(singular(word), singular(part))));
      if (distance > 3) return undefined;
      score += distance;
    }
    return score + Math.max(0, parts.length - words.length) * 0.1;
  });
  const possible = scores.filter((score) => score !== undefined);
  return possible.length === 0 ? undefined : Math.round(Math.min(...possible) * 10) / 10;
}

function distanceOf(word: string, part: string): number {
  if (word === part) return 0;
  if (part.startsWith(word)) return 0.5;
  const allowed = word.length < 5 ? 0 : word.length < 9 ? 1 : 2;
  const edits = Math.abs(word.length - part.length) > allowed ? allowed + 1 : editDistance(word, part);
  return edits <= allowed ? 1 + edits : 9;
}

const present = (food: Food): FoodShape => ({
  id: food.id,
  name: food.names.en,
  category: food.category,
  ndb: food.ndb ?? '',
  per100g: { ...nutrientsOf(food, 100), calories: Math.round(food.per100g.calories) },
  measures: food.measures,
  portion: { ...food.portion, grams: Math.round(portionGrams(food) * 100) / 100 },
});
