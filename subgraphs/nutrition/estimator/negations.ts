import { sugarFreeForm } from './food-names.ts';
import type { MealReading } from './meal-reading.ts';
import { AND } from './words.ts';

/** "-5 eggs", "0 g milk": an amount of zero or less is not understood, and its food is not counted. */
export function readNothing(reading: MealReading): void {
  reading.endPhrase('');
  const words: string[] = [];
  while (reading.at < reading.tokens.length && (words.length === 0 || !reading.endsPhraseAt(reading.at))) {
    const token = reading.tokens[reading.at];
    if (token) words.push(token.kind === 'number' ? String(token.value) : token.text);
    reading.at += 1;
  }
  reading.unknown.push(words.join(' '));
}

/** "without butter or cheese": skips the next food, and further ones that "or" and "and" join to it. */
export function readNegation(reading: MealReading): void {
  const dish = reading.last;
  reading.endPhrase('');
  reading.at += 1;
  const { lexicon, names } = reading.language;
  while (reading.at < reading.tokens.length && reading.tokens[reading.at]?.kind === 'word') {
    const word = reading.reader.word(reading.at) ?? '';
    const found = lexicon.separators.has(word) ? undefined : names.foodAt(reading.wordsFrom(reading.at));
    if (!found && (lexicon.ignored.has(word) || lexicon.of.has(word) || lexicon.numbers.has(word))) {
      reading.at += 1;
      continue;
    }
    if (!found && (lexicon.separators.has(word) || word === 'but')) return;
    if (found && dish) {
      const form = found.food.category === 'sweets' ? sugarFreeForm(dish.food) : undefined;
      if (form) dish.food = form;
      else dish.minus.push(found.food);
    }
    reading.at += found?.length ?? 1;
    if (!joinsNegation(reading)) return;
    reading.at += 1;
  }
}

/** "no milk or sugar", "without butter and cheese"; but the coke of "no fries and a coke" was drunk. */
function joinsNegation(reading: MealReading): boolean {
  const joint = reading.reader.word(reading.at) ?? '';
  if (['or', 'nor', 'oder', 'ou', 'o', 'ni'].includes(joint)) return true;
  if (!AND.includes(joint)) return false;
  const next = reading.language.names.foodAt(reading.wordsFrom(reading.at + 1))?.food;
  return (
    next !== undefined &&
    (['sauces', 'fats', 'seasonings'].includes(next.category) ||
      /^(milk|sugar|cream|onion|cheddar|bacon|honey)/.test(next.id))
  );
}
