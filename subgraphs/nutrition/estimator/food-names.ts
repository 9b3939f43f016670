import { editDistance } from '#server/edit-distance.ts';
import { boundedCache } from '#server/observability/bounded-cache.ts';
import { FOOD_TABLE, foodById } from '../foods/food-table.ts';
import type { Food, Locale } from '../foods/food.ts';
import { lexiconWords } from './lexicons/lexicon.ts';
import { fold, germanStem, singular, soundOf } from './words.ts';

/** A food whose name is at the beginning of a text. */
interface NamedFood {
  food: Food;
  /** The number of words of the name. */
  length: number;
  /** Whether a typing error was corrected. */
  corrected: boolean;
}

const LONGEST_NAME = 7; // words

/** The names of foods in one language and in English. */
export interface FoodNames {
  /** The food with the longest name with which these words begin. */
  foodAt(words: readonly string[]): NamedFood | undefined;
  /**
   * The number of words of the longest name with which these words begin; 0 if there is none. Typing errors are not
   * corrected.
   */
  nameLength(words: readonly string[]): number;
  /** Whether a word is part of a name. */
  has(word: string): boolean;
  /**
   * The words of a name that is written as one word: `peanutbutter` is `peanut`, `butter`. For a German compound, the parts
   * that are names of foods, or only the last part. Undefined if the word contains no name.
   */
  split(word: string): string[] | undefined;
  /** The word of a name that a misspelt word probably means. */
  spelled(word: string): string | undefined;
}

const spellings = boundedCache<string, { meant: string | undefined }>({
  name: 'food_spellings',
  maxEntries: 5_000,
  maxBytes: 1024 * 1024, // 1 MiB
});

const keyOf = (words: readonly string[]): string => words.map(singular).join(' ');
const stemKeyOf = (words: readonly string[]): string => words.map(germanStem).join(' ');
const wordsOf = (name: string): string[] =>
  fold(name)
    .replaceAll(/\b0\s*%/g, ' nonfat ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

class NameIndex implements FoodNames {
  private readonly locale: Locale;
  /** By the words of a name, without a change of their endings, so that "pâté" and "pâtes" are two names. */
  private readonly byExactName = new Map<string, Food>();
  /** By the words of a name, each in the singular. */
  private readonly bySingularName = new Map<string, Food>();
  /** By stems of German words, for endings that the names do not have. */
  private readonly byStem = new Map<string, Food>();
  /** The words of a name, by the name as one word in the singular. */
  private readonly wordsByJoinedName = new Map<string, string[]>();
  /** Every word of a name as it is written there, by its singular. */
  private readonly wordsBySingular = new Map<string, string>();
  /** Words with their sounds, by the first letter: a misspelt word rarely begins with another letter. */
  private readonly byLetter = new Map<string, { word: string; sound: string }[]>();

  /** Words of the language that mean no food, although an English name may have the same letters. */
  private readonly everydayWords: ReadonlySet<string>;

  constructor(locale: Locale) {
    this.locale = locale;
    this.everydayWords = lexiconWords(locale);
    // If two foods share a name, the language of the request comes before English, and an alias before a name.
    for (const language of new Set<Locale>([locale, 'en'])) {
      for (const food of FOOD_TABLE)
        for (const alias of food.aliases[language]) this.add(food, wordsOf(alias), language);
      for (const food of FOOD_TABLE)
        this.add(food, wordsOf(food.names[language].replaceAll(/[(),/]/g, ' ')), language);
      for (const food of FOOD_TABLE)
        // A name such as "Potato" alone does not mean the raw food.
        if (food.eatenAs === undefined)
          this.add(food, wordsOf(food.names[language].replace(/[,/(].*$/, '')), language);
    }
    for (const word of this.wordsBySingular.keys()) {
      const list = this.byLetter.get(word.slice(0, 1)) ?? [];
      list.push({ word, sound: soundOf(word) });
      this.byLetter.set(word.slice(0, 1), list);
    }
  }

  private add(food: Food, words: readonly string[], language: Locale): void {
    if (words.length === 0) return;
    // Leaves out an English name that is an everyday word of the request's language, such as "roti" (roasted) in French.
    if (language !== this.locale && words.length === 1 && this.everydayWords.has(words[0] ?? '')) return;
    const written = words.join(' ');
    if (!this.byExactName.has(written)) this.byExactName.set(written, food);
    const name = keyOf(words);
    if (!this.bySingularName.has(name)) this.bySingularName.set(name, food);
    if (language === 'de' && !this.byStem.has(stemKeyOf(words))) this.byStem.set(stemKeyOf(words), food);
    if (words.length > 1) this.wordsByJoinedName.set(singular(words.join('')), [...words]);
    for (const word of words) {
      this.wordsBySingular.set(singular(word), word);
    }
  }

  has(word: string): boolean {
    return this.wordsBySingular.has(singular(word));
  }

  nameLength(words: readonly string[]): number {
    for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length--) {
      const name = words.slice(0, length);
      if (this.byExactName.has(name.join(' ')) || this.bySingularName.has(keyOf(name))) return length;
    }
    return 0;
  }

  foodAt(words: readonly string[]): NamedFood | undefined {
    for (let length = Math.min(LONGEST_NAME, words.length); length > 0; length--) {
      const name = words.slice(0, length);
      const food = this.byExactName.get(name.join(' ')) ?? this.bySingularName.get(keyOf(name));
      if (food) return this.correctedAt(words, length) ?? { food, length, corrected: false };
    }
    if (this.locale === 'de')
      for (let length = Math.min(3, words.length); length > 0; length--) {
        const food = this.byStem.get(stemKeyOf(words.slice(0, length)));
        if (food) return { food, length, corrected: false };
      }
    return this.correctedAt(words, 0);
  }

  /**
   * A misspelt name of more than `longerThan` words. A longer name comes first: "orange juce" is the juice, although
   * "orange" is a name without an error.
   */
  private correctedAt(words: readonly string[], longerThan: number): NamedFood | undefined {
    for (let length = Math.min(4, words.length); length > longerThan; length--) {
      const corrected = words.slice(0, length).map((word) => this.spelled(word));
      if (corrected.some((word) => word === undefined)) continue;
      const food = this.bySingularName.get(corrected.join(' '));
      if (food) return { food, length, corrected: true };
    }
    return undefined;
  }

  split(word: string): string[] | undefined {
    const joined = this.wordsByJoinedName.get(singular(word));
    if (joined) return joined;
    for (let at = 3; at <= word.length - 3; at++) {
      const head = word.slice(0, at);
      const tail = word.slice(at);
      if (this.isFood(tail) && this.isFood(head)) return [head, tail];
      // Linking letters of German compounds: "Erdbeerenkuchen", "Rindssteak"
      if (this.locale === 'de' && tail.length > 4 && this.isFood(tail))
        for (const link of ['s', 'n', 'en', 'er'])
          if (head.length > 4 && head.endsWith(link) && this.isFood(head.slice(0, -link.length)))
            return [head.slice(0, -link.length), tail];
    }
    if (this.locale !== 'de') return undefined;
    // The last part of a German compound says what the food is: an "Apfelkuchen" is a "Kuchen".
    for (let at = 3; at <= word.length - 4; at++) if (this.isFood(word.slice(at))) return [word.slice(at)];
    return undefined;
  }

  private isFood(word: string): boolean {
    return (
      this.bySingularName.has(singular(word)) ||
      (this.locale === 'de' && word.length > 3 && this.byStem.has(germanStem(word)))
    );
  }

  spelled(written: string): string | undefined {
    const word = singular(written);
    if (this.wordsBySingular.has(word)) return word;
    const key = `${this.locale} ${word}`;
    const known = spellings.get(key);
    if (known) return known.meant;
    const meant = this.nearest(word);
    spellings.set(key, { meant });
    return meant;
  }

  /**
   * The word of a name that differs least from the given word. A word of 4 to 7 letters may differ by one edit, a word of 8
   * to 20 by two. If the two words sound the same, a word of more than 4 letters may differ by one edit more. Undefined if no word
   * of a name is similar enough.
   */
  private nearest(word: string): string | undefined {
    if (word.length < 4 || word.length > 20 || /\d/.test(word)) return undefined;
    const allowed = word.length < 8 ? 1 : 2;
    const sound = soundOf(word);
    let best: string | undefined;
    let lowest = Infinity;
    for (const [letter, candidates] of this.byLetter)
      for (const { word: name, sound: nameSound } of candidates) {
        const soundsTheSame = sound === nameSound && sound.length > 1;
        if (name.length < 3 || Math.abs(name.length - word.length) > allowed + (soundsTheSame ? 1 : 0))
          continue;
        const sameStart = letter === word[0];
        // Errors in the first letter are rare: a word with another one must sound the same, or end as the name from its third
        // letter on.
        if (!sameStart && !soundsTheSame && (word.length < 5 || !name.endsWith(word.slice(2)))) continue;
        const distance = editDistance(word, name);
        if (distance > allowed + (soundsTheSame && word.length > 4 ? 1 : 0)) continue;
        const cost = distance - (soundsTheSame ? 0.6 : 0) + (sameStart ? 0 : 0.5);
        if (cost < lowest) [best, lowest] = [name, cost];
      }
    return best;
  }
}

const indexes = new Map<Locale, FoodNames>();

export function foodNames(locale: Locale): FoodNames {
  let index = indexes.get(locale);
  if (!index) indexes.set(locale, (index = new NameIndex(locale)));
  return index;
}

const rawForms = new Map(
  FOOD_TABLE.toReversed().flatMap((food) => (food.eatenAs ? [[food.eatenAs, food] as const] : [])),
);

/** The raw or dry form of a food, if the table has one. */
export const rawForm = (food: Food): Food | undefined => rawForms.get(food.id);

const SUGAR_FREE: ReadonlyMap<string, string> = new Map([
  ['cola', 'cola_diet'],
  ['lemonade', 'lemonade_diet'],
  ['orange_soda', 'lemonade_diet'],
  ['ginger_ale', 'lemonade_diet'],
  ['dr_pepper', 'cola_diet'],
  ['tonic_water', 'lemonade_diet'],
  ['lemonade_still', 'lemonade_diet'],
  ['squash', 'lemonade_diet'],
  ['iced_tea', 'iced_tea_unsweet'],
  ['energy_drink', 'energy_drink_sugarfree'],
  ['monster_energy', 'energy_drink_sugarfree'],
  ['sports_drink', 'sports_drink_zero'],
  ['almond_milk_sweet', 'almond_milk_unsw'],
  ['soy_milk_sweet', 'soymilk_unsw'],
  ['spirit_cola', 'spirit_diet_cola'],
]);

/** The form of a food without sugar, if the table has one. */
export const sugarFreeForm = (food: Food): Food | undefined => foodById(SUGAR_FREE.get(food.id) ?? '');
