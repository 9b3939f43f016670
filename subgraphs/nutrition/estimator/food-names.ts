import { boundedCache } from '#server/observability/bounded-cache.ts';
import { FOOD_TABLE } from '../foods/food-table.ts';
import type { Food } from '../foods/food.ts';

/** A food found in a text. */
export interface NamedFood {
  food: Food;
  /** How many words the name took. */
  length: number;
  /** Whether a slip of the keyboard was forgiven. */
  corrected: boolean;
}

const LONGEST_NAME = 5; // words

/** What foods are called, by their words in the singular. */
const NAMES = new Map<string, Food>();
/** Every word that is part of a name. */
const NAME_WORDS = new Set<string>();

export const singular = (word: string): string => {
  if (word.length < 4 || KEEPS_S.has(word) || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies'))
    return word === 'cookies' || word === 'smoothies' ? word.slice(0, -1) : `${word.slice(0, -3)}y`;
  if (word.endsWith('loaves')) return 'loaf';
  if (word === 'leaves') return 'leaf';
  if (word === 'halves') return 'half';
  if (word.endsWith('oes') || /(s|x|ch|sh)es$/.test(word))
    return word === 'patches' ? word : word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
};
const KEEPS_S = new Set([
  'hummus',
  'houmous',
  'humus',
  'couscous',
  'asparagus',
  'molasses',
  'swiss',
  'oats',
  'cous',
  'lbs',
  'pcs',
  'gms',
  'lays',
  'jerrys',
]);

const nameOf = (words: readonly string[]): string => words.map(singular).join(' ');

const wordsOf = (alias: string): string[] =>
  alias.toLowerCase().replaceAll('-', ' ').split(/\s+/).filter(Boolean);
const FOODS = FOOD_TABLE;
for (const food of FOODS) for (const alias of food.aliases.en) learn(food, wordsOf(alias));
// What the table calls a food comes after what people call it: "egg" is the boiled one.
for (const food of FOODS) learn(food, wordsOf(food.names.en.replace(/[,/()].*$/, '')));

/** The first food of a name keeps it. */
function learn(food: Food, words: readonly string[]): void {
  const name = nameOf(words);
  if (!NAMES.has(name)) NAMES.set(name, food);
  for (const word of words) NAME_WORDS.add(singular(word));
}

// Oats are mostly spoken of in the plural.
NAMES.set('oat', NAMES.get('oats') ?? (FOOD_TABLE[0] as Food));
NAME_WORDS.add('oat');

/** The longest name that begins with the first of the words. */
export function foodAt(words: readonly string[]): NamedFood | undefined {
  for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length--) {
    const exact = NAMES.get(nameOf(words.slice(0, length)));
    if (exact) return { food: exact, length, corrected: false };
  }
  for (let length = Math.min(3, words.length); length > 0; length--) {
    const corrected = words.slice(0, length).map(spelled);
    if (corrected.some((word) => word === undefined)) continue;
    const food = NAMES.get(corrected.join(' '));
    if (food) return { food, length, corrected: true };
  }
  return undefined;
}

const spellings = boundedCache<string, { meant: string | undefined }>({
  name: 'food_spellings',
  maxEntries: 5_000,
  maxBytes: 1024 * 1024, // 1 MiB
});

/** The name's word that was meant: one slip in five letters, two in nine; undefined where two are as near. */
function spelled(written: string): string | undefined {
  const word = singular(written);
  if (NAME_WORDS.has(word)) return word;
  const known = spellings.get(word);
  if (known) return known.meant;
  const allowed = word.length < 5 ? 0 : word.length < 9 ? 1 : 2;
  let best: string | undefined;
  let nearest = allowed + 1;
  for (const name of allowed === 0 ? [] : NAME_WORDS) {
    if (name.length < 4 || Math.abs(name.length - word.length) > allowed) continue;
    const distance = editDistance(word, name);
    if (distance < nearest) [best, nearest] = [name, distance];
    else if (distance === nearest) best = undefined;
  }
  spellings.set(word, { meant: best });
  return best;
}

/** Edits between two words, a swap of neighbours counting as one (optimal string alignment). */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_unused, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      let best = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
