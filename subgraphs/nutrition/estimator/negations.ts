import { sugarFreeForm } from './food-names.ts';
import type { MealReading } from './meal-reading.ts';
import { AND } from './words.ts';

/** "-5 eggs", "0 g milk": skips an amount of zero or less and its food, and reports their words as not understood. */
export function skipFoodWithoutAmount(reading: MealReading): void {
  reading.endPhrase('');
  const words: string[] = [];
  while (reading.at < reading.tokens.length && (words.length === 0 || !reading.endsPhraseAt(reading.at))) {
    const token = reading.tokens[reading.at];
    if (token) words.push(token.kind === 'number' ? String(token.value) : token.text);
    reading.at += 1;
  }
  reading.unknown.push(words.join(' '));
}

/**
 * "without butter or cheese": skips the next food, and further foods that are joined to it by "or" or "and". If a dish
 * comes before ("salad without dressing"), the foods are subtracted from the dish; "without sugar" means the sugar-free
 * form of the food before, if there is one.
 */
export function readNegation(reading: MealReading): void {
  const dish = reading.last;
  reading.endPhrase('');
  reading.at += 1;
  const { lexicon, names } = reading.language;
  while (reading.at < reading.tokens.length && reading.tokens[reading.at]?.kind === 'word') {
    const word = reading.reader.word(reading.at) ?? '';
    const found = lexicon.separators.has(word) ? undefined : names.foodAt(reading.wordsFrom(reading.at));
    if (
      !found &&
      (lexicon.ignored.has(word) || lexicon.prepositions.has(word) || lexicon.numbers.has(word))
    ) {
      reading.at += 1;
      continue;
    }
    if (!found && (lexicon.separators.has(word) || word === 'but')) return;
    if (found && dish) {
      const form = found.food.category === 'sweets' ? sugarFreeForm(dish.food) : undefined;
      if (form) dish.food = form;
      else dish.excluded.push(found.food);
    }
    reading.at += found?.length ?? 1;
    if (!joinsNegation(reading)) return;
    reading.at += 1;
  }
}

/**
 * Whether the word after an excluded food joins another excluded food to it: "no milk or sugar", "without butter and
 * cheese". After "and" this is only assumed for ingredients that are added to food and drinks: in "no fries and a coke"
 * the coke was drunk.
 */
function joinsNegation(reading: MealReading): boolean {
  const joiner = reading.reader.word(reading.at) ?? '';
  if (['or', 'nor', 'oder', 'ou', 'o', 'ni'].includes(joiner)) return true;
  if (!AND.includes(joiner)) return false;
  const next = reading.language.names.foodAt(reading.wordsFrom(reading.at + 1))?.food;
  return (
    next !== undefined &&
    (['sauces', 'fats', 'seasonings'].includes(next.category) ||
      /^(milk|sugar|cream|onion|cheddar|bacon|honey)/.test(next.id))
  );
}
