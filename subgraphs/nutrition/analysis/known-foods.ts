import { FOOD_TABLE } from '../foods/food-table.ts';
import { LOCALES, type Food, type Locale } from '../foods/food.ts';

/**
 * By language: the food of each name and alias. Two foods never have the same name or alias in one language
 * (`tests/nutrition/food-table.test.ts`).
 */
const BY_NAME: ReadonlyMap<Locale, ReadonlyMap<string, Food>> = new Map(
  LOCALES.map((locale) => {
    const names = new Map<string, Food>();
    const add = (name: string, food: Food) => {
      const key = keyOf(name);
      if (!names.has(key)) names.set(key, food);
    };
    for (const food of FOOD_TABLE) for (const alias of food.aliases[locale]) add(alias, food);
    for (const food of FOOD_TABLE) add(food.names[locale], food);
    return [locale, names];
  }),
);

/** The food of the table with exactly this name, in the language of the request or in English. */
export function foodCalled(name: string, locale: string | undefined): Food | undefined {
  const key = keyOf(name);
  const language = LOCALES.find((one) => locale?.toLowerCase().split(/[-_]/)[0] === one);
  return (language && BY_NAME.get(language)?.get(key)) ?? BY_NAME.get('en')?.get(key);
}

function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
