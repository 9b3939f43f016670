import { readFileSync } from 'node:fs';
import { FoodSchema, type Food } from './food.ts';

/**
 * Foods with their names, the nutrients of 100 g, and the weights of household measures.
 *
 * Figures: USDA National Nutrient Database for Standard Reference, Release 28 (a work of the US government, in the
 * public domain). `docs/nutrition.md` describes the file and how its figures are recomputed.
 */
export const FOOD_TABLE: readonly Food[] = readFileSync(new URL('data/foods.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => FoodSchema.parse(JSON.parse(line)));

const byId = new Map(FOOD_TABLE.map((food) => [food.id, food]));

export const foodById = (id: string): Food | undefined => byId.get(id);
