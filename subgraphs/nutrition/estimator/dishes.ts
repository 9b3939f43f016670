import { foodById } from '../foods/food-table.ts';
import type { Food } from '../foods/food.ts';
import { isEmpty, isQuantity } from './amounts.ts';
import { categoryOf, isBread, isHead } from './food-kinds.ts';
import type { MealReading } from './meal-reading.ts';
import type { Mention } from './mention.ts';
import { AND, WITH } from './words.ts';

/** Reads a dish of a base and the foods right before it: "ham and cheese sandwich". */
export function readDish(reading: MealReading, word: string): void {
  const { lexicon } = reading.language;
  const base = foodById(lexicon.composites.get(word) ?? '');
  reading.at += 1;
  if (!base) return;
  const fillings = fillingsBefore(reading);
  const amount = fillings[0]?.amount ?? reading.amount;
  const isSliced = base.id.startsWith('bread_') && base.id !== 'bread_roll';
  reading.group += 1;
  for (const filling of fillings)
    Object.assign(filling, { role: 'filling', group: reading.group, amount: {} });
  reading.amount = {};
  // A sandwich without a filling is assumed to be one with ham and cheese.
  const plain = fillings.length === 0 && isSliced ? foodById('ham_cheese_sandwich') : undefined;
  const next = reading.reader.word(reading.at) ?? '';
  const isFollowed = lexicon.separators.has(next) || lexicon.prepositions.has(next);
  const { group } = reading;
  const mention = reading.add(plain && !isFollowed ? plain : base, word, false);
  Object.assign(mention, { role: 'base', group, amount });
  reading.group = group;
  // A sandwich has two slices, or a piece of a baguette.
  if (isSliced && mention.food === base && !isQuantity(amount) && amount.measure === undefined)
    mention.amount = {
      count: amount.count ?? 1,
      measure: 'sandwich',
      ...(amount.size && { size: amount.size }),
    };
}

/** The foods right before a dish that are in it. */
function fillingsBefore(reading: MealReading): Mention[] {
  const fillings: Mention[] = [];
  if (!reading.before) return fillings;
  for (const mention of reading.mentions.toReversed()) {
    if (mention.role !== 'food' || isHead(mention.food)) break;
    fillings.unshift(mention);
    // "2 ham and cheese sandwiches": the amount before the first filling is of the dish
    if (!isEmpty(mention.amount) || ![...AND, 'n'].includes(mention.joiner)) break;
  }
  return fillings;
}

/** "a turkey sandwich on whole wheat bread": the bread replaces the usual one. Returns whether this is the case. */
export function readOtherBread(reading: MealReading, food: Food): boolean {
  const base = reading.last;
  if (
    base?.role !== 'base' ||
    base.group !== reading.group ||
    reading.joiner !== 'on' ||
    !isBread(base.food) ||
    !isBread(food) ||
    !isEmpty(reading.amount)
  )
    return false;
  base.food = food;
  reading.continuesPhrase = true;
  return true;
}

/**
 * "a burrito bowl with chicken, rice and beans": a part of the dish's recipe is not counted again. Returns whether the food is
 * such a part.
 */
export function readPartOfDish(reading: MealReading, food: Food): boolean {
  const dish = reading.last;
  const parts = dish?.food.recipe?.parts.map(([ndb]) => ndb) ?? [];
  const joins = reading.listsParts || [...WITH, 'including'].includes(reading.joiner);
  if (!dish || !joins || !isEmpty(reading.amount) || !['dishes', 'fast_food'].includes(dish.food.category))
    return false;
  const isMeatOrSimilar = ['meat', 'fish', 'legumes'].includes(food.category);
  const isPart = parts.some(
    (ndb) =>
      ndb === food.ndb ||
      food.recipe?.parts[0]?.[0] === ndb ||
      (isMeatOrSimilar && categoryOf(ndb) === food.category),
  );
  if (!isPart) return false;
  reading.endPhrase('');
  reading.listsParts = true;
  return true;
}

/**
 * "jus de pomme", "sandwich au jambon": the second food says what the first one tastes of or contains. Returns whether there is
 * such a food; never in English, where the flavour comes first.
 */
export function readFlavourAfter(reading: MealReading): boolean {
  const { last } = reading;
  const { lexicon, locale, names } = reading.language;
  let at = reading.at;
  while (lexicon.prepositions.has(reading.reader.word(at) ?? '')) at += 1;
  const words = reading.wordsFrom(at);
  const found = words.length > 0 ? names.foodAt(words) : undefined;
  if (!last || !found || locale === 'en') return false;
  // "pâtes à la bolognaise" is one food, whose name in the table omits the words in between.
  const lastWords = last.words.split(' ');
  const whole = names.foodAt([...lastWords, ...words]);
  if (whole && !whole.corrected && whole.length > lastWords.length) {
    reading.at = at + whole.length - lastWords.length;
    last.food = whole.food;
    return true;
  }
  reading.at = at;
  if (last.role === 'base') reading.joiner = 'of';
  else if (!isHead(last.food)) reading.endPhrase('of');
  else {
    last.flavoured = true;
    last.words = `${last.words} ${words.slice(0, found.length).join(' ')}`;
    reading.at += found.length;
  }
  return true;
}
