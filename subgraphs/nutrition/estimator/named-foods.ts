import type { Food } from '../foods/food.ts';
import { isEmpty, isQuantity } from './amounts.ts';
import { readDish, readOtherBread, readPartOfDish } from './dishes.ts';
import { addsNothing, isBread, isHead, TASTES } from './food-kinds.ts';
import { rawForm, sugarFreeForm } from './food-names.ts';
import type { MealReading } from './meal-reading.ts';
import type { Mention } from './mention.ts';
import { isAdverbOrParticiple, singular, WITH } from './words.ts';

/** Reads a food whose name begins at the next token; false if there is none. */
export function readFood(reading: MealReading): boolean {
  const following = reading.wordsFrom(reading.at);
  const found = reading.language.names.foodAt(following);
  if (!found || (found.corrected && hasMeaning(reading))) return false;
  const words = following.slice(0, found.length);
  const { before } = reading;
  if (before && words.length === 1 && readKindOfDish(reading, before, found.food, words[0] ?? ''))
    return true;
  reading.at += words.length;
  const food = formOf(reading, found.food);
  if (before && readRestOfName(reading, before, food, words.join(' '))) return true;
  if (readEggsOfDish(reading, food) || readOtherBread(reading, food) || readPartOfDish(reading, food))
    return true;
  if (reading.amount.measure === undefined) readMeasureAfter(reading);
  reading.add(food, words.join(' '), found.corrected);
  return true;
}

/** Whether the next word means something other than a food, so that it is no misspelt name of one. */
function hasMeaning(reading: MealReading): boolean {
  const { lexicon } = reading.language;
  const word = reading.reader.word(reading.at) ?? '';
  return (
    reading.reader.at(reading.at).length > 0 ||
    [
      lexicon.ignored,
      lexicon.separators,
      lexicon.negations,
      lexicon.raw,
      lexicon.prepositions,
      lexicon.ranges,
      lexicon.composites,
      lexicon.measures,
    ].some((words) => words.has(word)) ||
    isAdverbOrParticiple(word)
  );
}

/**
 * "sourdough toast", "cheese sandwich": the word is a kind of dish, and the food before it says of what it is made.
 * Returns whether this is the case.
 */
function readKindOfDish(reading: MealReading, before: Mention, food: Food, word: string): boolean {
  if (
    before.food.category === 'eggs' ||
    !reading.language.lexicon.composites.has(word) ||
    !canFlavour(before, food)
  )
    return false;
  if (isBread(before.food)) {
    before.role = 'base';
    reading.at += 1;
  } else readDish(reading, word);
  return true;
}

const EGGS: ReadonlySet<string> = new Set([
  'egg_boiled',
  'egg_fried',
  'egg_scrambled',
  'egg_white',
  'egg_poached',
]);

/** Completes the name of the mention before a food, if the food is a further part of this name. Returns whether it is. */
function readRestOfName(reading: MealReading, before: Mention, food: Food, words: string): boolean {
  const isEggDish = food.category === 'eggs' && EGGS.has(before.food.id);
  // "Oatly oat milk": the names of the maker and of the food
  const repeats =
    isEmpty(reading.amount) && (before.food === food || addsNothing(before.food, food)) && !isEggDish;
  const isFlavoured = !isEggDish && !repeats && canFlavour(before, food) && isHead(food);
  if (!isEggDish && !repeats && !isFlavoured) return false;
  before.words = `${before.words} ${words}`;
  if (repeats) return true;
  // "a three egg omelette", "2 eggs scrambled"
  if (isEggDish && food.id === 'omelette') before.amount = { ...before.amount, measure: 'egg' };
  before.food = food;
  if (isFlavoured) {
    before.flavoured = true;
    reading.companions = [...reading.companions.slice(0, -1), food];
  }
  return true;
}

/**
 * "an omelette of three eggs", "Rührei aus 2 Eiern": the eggs are the amount of the dish before them. Returns whether they are.
 */
function readEggsOfDish(reading: MealReading, food: Food): boolean {
  const { last } = reading;
  const { count } = reading.amount;
  if (
    !last ||
    food.id !== 'egg_boiled' ||
    count === undefined ||
    !['omelette', 'egg_scrambled', 'omelette_cheese'].includes(last.food.id) ||
    isQuantity(last.amount) ||
    !['', 'of', ...WITH].includes(reading.joiner)
  )
    return false;
  // The cheese omelette of the food table is made of two eggs.
  const eggs = last.food.id === 'omelette_cheese' ? 2 : 1;
  last.amount = { count: count / eggs, ...(last.food.id === 'omelette' && { measure: 'egg' }) };
  reading.amount = {};
  reading.continuesPhrase = true;
  return true;
}

/** Whether the mention right before a food says what it tastes of or contains: "mango yogurt", not "2 eggs toast". */
function canFlavour({ food, words, amount, role }: Mention, next: Food): boolean {
  if (role !== 'food' || (isHead(food) && !TASTES.has(food.id)) || next.id === food.id) return false;
  const plural = singular(words.split(' ').at(-1) ?? '') !== words.split(' ').at(-1);
  return !(plural && amount.count !== undefined && !isQuantity(amount));
}

function formOf(reading: MealReading, food: Food): Food {
  const form =
    (reading.raw ? rawForm(food) : undefined) ?? (reading.sugarFree ? sugarFreeForm(food) : undefined);
  return form ?? food;
}

/** "two cod fillets", "bacon rashers": a measure directly after the name. */
function readMeasureAfter(reading: MealReading): void {
  const measure = reading.language.lexicon.measures.get(reading.reader.word(reading.at) ?? '');
  if (
    !measure ||
    measure === 'portion' ||
    isQuantity(reading.amount) ||
    reading.language.names.foodAt(reading.wordsFrom(reading.at))
  )
    return;
  reading.amount = { ...reading.amount, measure };
  reading.at += 1;
}
