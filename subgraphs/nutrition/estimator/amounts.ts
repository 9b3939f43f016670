import { singular } from './food-names.ts';
import type { Token } from './tokens.ts';
import { IGNORED, MASS_UNITS, MEASURE_WORDS, NUMBER_WORDS, SIZES, VOLUME_UNITS } from './words.ts';

/** How much, as far as the text says. */
export interface Amount {
  /** How many; undefined: not said. */
  count?: number;
  /** Grams of one, where a weight is said. */
  grams?: number;
  /** The weight is in ounces, which of a drink are fluid ounces. */
  ounces?: boolean;
  /** Millilitres of one, where a volume is said in ml, l, pints. */
  millilitres?: number;
  /** A household measure: cup, slice, bowl. */
  measure?: string;
  /** small, large ... */
  size?: string;
  /** "2 or 3", "a few": how many is a matter of taste. */
  vague?: boolean;
}

export const isEmpty = (amount: Amount): boolean => Object.keys(amount).length === 0;
const saysHow = ({ grams, millilitres, measure }: Amount): boolean =>
  grams !== undefined || millilitres !== undefined || measure !== undefined;

/** Reads an amount: number, size, unit, in the orders in which people write them. `length` is 0 where there is none. */
export function amountAt(tokens: readonly Token[], from: number): { amount: Amount; length: number } {
  const amount: Amount = {};
  let at = from;
  const number = numberAt(tokens, at);
  if (number) {
    amount.count = number.value;
    if (number.vague) amount.vague = true;
    at += number.length;
    if (isMark(tokens[at], 'x')) at += 1;
    // "2 x 150 g", "two 12 oz steaks": the second number is of what each weighs
    const each = numberAt(tokens, at);
    if (each && each.length === 1 && unitAt(tokens, at + 1)?.quantity) {
      const unit = unitAt(tokens, at + 1);
      Object.assign(amount, scaled(unit?.quantity ?? {}, each.value));
      at += 1 + (unit?.length ?? 0);
      return { amount, length: skipContainer(tokens, at) - from };
    }
  }
  for (let word = wordAt(tokens, at); word !== undefined; word = wordAt(tokens, at)) {
    const unit = amount.measure === undefined ? unitAt(tokens, at) : undefined;
    if (unit?.quantity && amount.count !== undefined && !saysHow(amount)) {
      Object.assign(amount, unit.quantity);
      return { amount, length: skipContainer(tokens, at + unit.length) - from };
    }
    if (unit?.measure && (amount.count !== undefined || followedByOf(tokens, at + unit.length))) {
      amount.measure = unit.measure;
      at += unit.length;
    } else if (SIZES[word] && (amount.count !== undefined || at === from)) {
      amount.size = word;
      at += 1;
    } else if (
      (word === 'extra' && SIZES[wordAt(tokens, at + 1) ?? '']) ||
      (!isEmpty(amount) && (word === 'of' || word === 'a' || word === 'an' || word === 'the') && at > from)
    )
      at += 1;
    else if (
      !isEmpty(amount) &&
      [
        'full',
        'heaped',
        'heaping',
        'level',
        'generous',
        'good',
        'rounded',
        'more',
        'extra',
        'thick',
        'thin',
        'fresh',
        'cooked',
      ].includes(word)
    )
      at += 1;
    else break;
  }
  if (wordAt(tokens, at - 1) === 'extra') at -= 1;
  return { amount, length: isEmpty(amount) ? 0 : at - from };
}

type Quantity = Pick<Amount, 'grams' | 'ounces' | 'millilitres'>;

const scaled = (quantity: Quantity, by: number): Quantity => ({
  ...(quantity.ounces && { ounces: true }),
  ...(quantity.grams !== undefined && { grams: quantity.grams * by }),
  ...(quantity.millilitres !== undefined && { millilitres: quantity.millilitres * by }),
});

/** After a weight, what it comes in says nothing new: "330 ml can of", "150 g portion of". */
function skipContainer(tokens: readonly Token[], from: number): number {
  let at = from;
  if (
    MEASURE_WORDS[singular(wordAt(tokens, at) ?? '')] &&
    !['breast', 'thigh', 'fillet', 'filet', 'chop', 'steak'].includes(singular(wordAt(tokens, at) ?? ''))
  )
    at += 1;
  while (wordAt(tokens, at) === 'of' || wordAt(tokens, at) === 'the') at += 1;
  return at;
}

function unitAt(
  tokens: readonly Token[],
  at: number,
): { quantity?: Quantity; measure?: string; length: number } | undefined {
  const word = wordAt(tokens, at);
  if (word === undefined) return undefined;
  const one = singular(word);
  const mass = MASS_UNITS[word] ?? MASS_UNITS[one];
  if (mass !== undefined)
    return {
      quantity: { grams: mass, ...((one === 'oz' || one === 'ounce') && { ounces: true }) },
      length: 1,
    };
  if (word === 'floz') return { quantity: { millilitres: 29.57 }, length: 1 };
  const measure = MEASURE_WORDS[word] ?? MEASURE_WORDS[one];
  if (measure !== undefined) return { measure, length: 1 };
  const volume = VOLUME_UNITS[word] ?? VOLUME_UNITS[one];
  return volume === undefined ? undefined : { quantity: { millilitres: volume }, length: 1 };
}

/** Digits or words: `1 1/2`, `one and a half`, `half a`, `2-3`, `a couple of`. */
function numberAt(
  tokens: readonly Token[],
  from: number,
): { value: number; length: number; vague: boolean } | undefined {
  const first = plainNumberAt(tokens, from);
  if (!first) return undefined;
  let { value, vague } = first;
  let at = from + first.length;
  const joint = isMark(tokens[at], '~') || ['to', 'or'].includes(wordAt(tokens, at) ?? '');
  const upper = joint ? plainNumberAt(tokens, at + 1) : undefined;
  if (upper && !isArticle(tokens[at + 1]) && upper.value > value && upper.value <= value * 4) {
    value = (value + upper.value) / 2;
    vague = true;
    at += 1 + upper.length;
  }
  const and = wordAt(tokens, at) === 'and' ? 1 : 0;
  const rest = fractionAt(tokens, at + and);
  if (rest && value >= 1 && (and === 1 || tokens[at]?.kind === 'number')) {
    value += rest.value;
    at += and + rest.length;
  }
  return { value, vague, length: at - from };
}

function plainNumberAt(
  tokens: readonly Token[],
  from: number,
): { value: number; length: number; vague: boolean } | undefined {
  const token = tokens[from];
  if (isMark(token, 'x') && tokens[from + 1]?.kind === 'number')
    return { value: (tokens[from + 1] as { value: number }).value, length: 2, vague: false };
  if (token?.kind === 'number') {
    const part = ['thirds', 'quarters'].includes(wordAt(tokens, from + 1) ?? '')
      ? NUMBER_WORDS[wordAt(tokens, from + 1) ?? '']
      : undefined;
    return part === undefined
      ? { value: token.value, length: 1, vague: false }
      : { value: token.value * part, length: 2, vague: false };
  }
  if (token?.kind !== 'word') return undefined;
  let at = from;
  let value: number | undefined;
  let vague = false;
  for (let word = wordAt(tokens, at); word !== undefined; word = wordAt(tokens, at)) {
    const next = NUMBER_WORDS[word];
    if (next === undefined || (word === 'single' && value === undefined && at > from)) break;
    if (['few', 'several', 'couple'].includes(word)) vague = word !== 'couple';
    if (value === undefined || (at - 1 === from && isArticle(tokens[from]))) value = next; // "a couple"
    else if (isArticle(tokens[at]) || next === 12 || next === 100 || next < 1) value *= next;
    else break;
    at += 1;
    while (wordAt(tokens, at) === 'of' && NUMBER_WORDS[wordAt(tokens, at + 1) ?? ''] !== undefined) at += 1;
  }
  return value === undefined ? undefined : { value, length: at - from, vague };
}

/** `1/2`, `a half`, `half`, `a quarter`. */
function fractionAt(tokens: readonly Token[], from: number): { value: number; length: number } | undefined {
  const token = tokens[from];
  if (token?.kind === 'number')
    return token.fraction && token.value < 1 ? { value: token.value, length: 1 } : undefined;
  const article = isArticle(token) ? 1 : 0;
  const value = NUMBER_WORDS[wordAt(tokens, from + article) ?? ''];
  return value !== undefined && value < 1 ? { value, length: article + 1 } : undefined;
}

const isArticle = (token: Token | undefined): boolean =>
  token?.kind === 'word' && (token.text === 'a' || token.text === 'an');
export const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'mark' && token.text === text;
export const wordAt = (tokens: readonly Token[], at: number): string | undefined => {
  const token = tokens[at];
  return token?.kind === 'word' ? token.text : undefined;
};
const followedByOf = (tokens: readonly Token[], at: number): boolean => wordAt(tokens, at) === 'of';
export const isIgnored = (word: string): boolean =>
  IGNORED.has(word) || IGNORED.has(singular(word)) || /[^e]ed$|ly$/.test(word);
