import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';

/**
 * The food of an entry: a row of `food` by a foreign key, or a food of the food table, which is a file. If the entry has no
 * food, both are null.
 */
interface FoodReference {
  foodId?: string | null | undefined;
  tableFoodId?: string | null | undefined;
}

export const referenceOf = (foodId: string | null): { foodId: string | null; tableFoodId: string | null } =>
  foodId !== null && isUuid(foodId) ? { foodId, tableFoodId: null } : { foodId: null, tableFoodId: foodId };

/** The id of the food in the API. */
export const foodIdOf = ({ foodId, tableFoodId }: FoodReference): string | null =>
  foodId ?? tableFoodId ?? null;

export const unknownFood = (foodId: string, path: string) =>
  invalid(`${path}foodId`, `expected the id of a food that you may read, got "${foodId}"`);
