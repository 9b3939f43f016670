import { isEmpty, isQuantity } from './amounts.ts';
import { readByContext } from './context.ts';
import { readDish, readFlavourAfter } from './dishes.ts';
import { rawForm, sugarFreeForm } from './food-names.ts';
import { MealReading } from './meal-reading.ts';
import type { Mention } from './mention.ts';
import { readFood } from './named-foods.ts';
import { readNegation, skipFoodWithoutAmount } from './negations.ts';
import { tokensOf, type Language } from './tokens.ts';
import { isAdverbOrParticiple, WITH } from './words.ts';

interface ParsedMeal {
  mentions: Mention[];
  /** Parts of the text that were not understood. */
  unknown: string[];
  /** The parts of the end of a text that is too long; they were not read. */
  unread: string[];
}

/** The foods that a meal text mentions, in their order. */
export function parseMeal(text: string, language: Language): ParsedMeal {
  const { tokens, rest } = tokensOf(text, language);
  const reading = new MealReading(tokens, language);
  while (reading.at < reading.tokens.length) readNext(reading);
  reading.endPhrase('');
  readByContext(reading.mentions);
  const unread = rest
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\d]/u.test(part));
  return { mentions: reading.mentions, unknown: reading.unknown, unread };
}

function readNext(reading: MealReading): void {
  const { lexicon } = reading.language;
  const token = reading.tokens[reading.at];
  if (token?.kind === 'mark') return readMark(reading, token.text);
  if (token?.kind === 'number')
    return token.value <= 0 ? skipFoodWithoutAmount(reading) : readQuantity(reading);
  const word = token?.text ?? '';
  if (readFood(reading)) return;
  if (lexicon.negations.has(word)) return readNegation(reading);
  if (lexicon.separators.has(word)) {
    reading.endPhrase(word);
    reading.at += 1;
    return;
  }
  if (lexicon.composites.has(word)) return readDish(reading, word);
  if (lexicon.raw.has(word)) return readForm(reading, 'raw');
  if (lexicon.sugarFree.has(word)) return readForm(reading, 'sugarFree');
  if (lexicon.prepositions.has(word) && reading.continuesPhrase && readFlavourAfter(reading)) return;
  if (reading.reader.at(reading.at).length > 0) return readQuantity(reading);
  const isMeasure = lexicon.measures.has(word) || lexicon.sizes.has(word);
  if (
    !lexicon.ignored.has(word) &&
    !lexicon.prepositions.has(word) &&
    !isMeasure &&
    !isAdverbOrParticiple(word)
  )
    readUnknown(reading, word);
  reading.at += 1;
}

function readMark(reading: MealReading, text: string): void {
  if (readAmountAfter(reading, text)) return;
  if (text === ':' && reading.at + 1 < reading.tokens.length) dropTitle(reading);
  if (text !== '~' && text !== 'x') reading.endPhrase(text);
  if (text === ',') reading.companions = reading.companions.slice(-1);
  if (text === '\n') reading.companions = [];
  reading.at += 1;
}

/** "rice (200 g)", "rice: 200 g", "eggs x2", "rice, 200 g": the amount of the food before the mark. */
function readAmountAfter(reading: MealReading, text: string): boolean {
  const { last } = reading;
  const { amount, length } = reading.reader.at(reading.at + 1);
  if (!last || length === 0) return false;
  const isWhole = reading.endsPhraseAt(reading.at + 1 + length);
  const isAnnounced =
    '(:-x'.includes(text) || (text === ',' && (isQuantity(amount) || amount.measure !== undefined));
  const isMissing = isEmpty(last.amount) || (isQuantity(amount) && !isQuantity(last.amount));
  if (reading.pending.length === 0 && isEmpty(reading.amount) && isWhole && isAnnounced && isMissing) {
    const counted = text === 'x' && !isQuantity(amount) ? headOfDish(reading, last) : last;
    // "2 slices (60 g)": the weight is of all slices.
    counted.amount = isQuantity(amount) ? amount : { ...counted.amount, ...amount };
  } else if (text === 'x' && reading.continuesPhrase && isEmpty(last.amount)) last.amount = amount;
  else return false;
  reading.at += 1 + length;
  return true;
}

/** "smoothie: a banana, 200 ml milk": foods before a colon are the title of the list after it, and are not counted. */
function dropTitle(reading: MealReading): void {
  while (
    reading.continuesPhrase &&
    reading.last &&
    isEmpty(reading.last.amount) &&
    reading.companions.includes(reading.last.food)
  ) {
    reading.companions = reading.companions.slice(0, -1);
    reading.mentions.pop();
    if (reading.last?.joiner === '\n' || reading.last?.joiner === ',') break;
  }
  reading.pending = [];
}

/** "toast with butter x3": the number is of the toast, unless it has one already. */
function headOfDish({ mentions }: MealReading, last: Mention): Mention {
  let at = mentions.length - 1;
  while (at > 0 && WITH.includes(mentions[at]?.joiner ?? '')) at -= 1;
  const head = mentions[at];
  return head && isEmpty(head.amount) ? head : last;
}

function readQuantity(reading: MealReading): void {
  const { amount, length } = reading.reader.at(reading.at);
  const { before } = reading;
  const ends = reading.endsPhraseAt(reading.at + length);
  // "rice 200 g": the amount is of the food before it.
  const isOfBefore =
    before !== undefined &&
    (amount.count !== undefined || amount.size !== undefined) &&
    (isEmpty(before.amount) ||
      ((ends || amount.energy !== undefined) && isQuantity(amount) && !isQuantity(before.amount)));
  if (before && isOfBefore && (ends || isQuantity(amount))) {
    before.amount = amount;
    reading.continuesPhrase = false;
  } else if (length > 0) {
    if (!isEmpty(reading.amount) || reading.continuesPhrase) reading.endPhrase('');
    reading.amount = amount;
  }
  reading.at += Math.max(1, length);
}

/**
 * Reads a word such as "raw" or "sugar-free". It describes the food before it if it is in the phrase of this food, or stands
 * alone, as in "100 g of rice, uncooked". Otherwise, or if the food has no such form, it describes the next food.
 */
function readForm(reading: MealReading, kind: 'raw' | 'sugarFree'): void {
  const form = kind === 'raw' ? rawForm : sugarFreeForm;
  const alone =
    reading.pending.length === 0 && isEmpty(reading.amount) && reading.endsPhraseAt(reading.at + 1);
  const changed = (reading.continuesPhrase || alone) && reading.last ? form(reading.last.food) : undefined;
  if (changed && reading.last) reading.last.food = changed;
  else reading[kind] = true;
  reading.at += 1;
}

/** A word directly after a name makes that food uncertain, because the last word of a name says what the food is. */
function readUnknown(reading: MealReading, word: string): void {
  if (reading.before && isEmpty(reading.amount)) reading.before.leftOut.push(word);
  else reading.pending.push(word);
}
