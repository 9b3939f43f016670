import type { Locale } from '../../foods/food.ts';
import { fold } from '../words.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

/**
 * Words of one language that are not names of foods, as people write them. Each part is a text of entries, separated by
 * spaces or commas.
 */
export interface LexiconWords {
  /** `word=value`; a value below 1 is a fraction. */
  numbers: string;
  /** `word=grams`. */
  masses: string;
  /** `word=millilitres`. */
  volumes: string;
  /** `word=name of the measure in the food table`, with `_` for a space. */
  measures: string;
  /** `word=size in the food table`, with `_` for a space: `small`, `extra_large`. */
  sizes: string;
  /** Words for a kilocalorie. */
  energy: string;
  /** Words that separate one food from the next. */
  separators: string;
  /** Words that join numbers to a range: `2 to 3`. */
  ranges: string;
  /** Words before a food that was not eaten. */
  negations: string;
  /** Words for the raw or dry form of a food. */
  raw: string;
  /** Words for the form of a food without sugar. */
  sugarFree: string;
  /** Words that join a food to its ingredient or flavour: `jus de pomme`. */
  prepositions: string;
  /** Words that change no figure: about the preparation, the maker or the time of a meal, and other everyday words. */
  ignored: string;
  /** `word=food id`: dishes of a base and fillings. */
  composites: string;
}

export interface Lexicon {
  numbers: ReadonlyMap<string, number>;
  masses: ReadonlyMap<string, number>;
  volumes: ReadonlyMap<string, number>;
  measures: ReadonlyMap<string, string>;
  sizes: ReadonlyMap<string, string>;
  energy: ReadonlySet<string>;
  separators: ReadonlySet<string>;
  ranges: ReadonlySet<string>;
  negations: ReadonlySet<string>;
  raw: ReadonlySet<string>;
  sugarFree: ReadonlySet<string>;
  prepositions: ReadonlySet<string>;
  ignored: ReadonlySet<string>;
  composites: ReadonlyMap<string, string>;
}

const WORDS: Readonly<Record<Locale, LexiconWords>> = { en, de, fr, es };

const listOf = (words: string): string[] => words.split(/[\s,]+/).filter(Boolean);

function mapOf<Value>(locale: Locale, part: keyof LexiconWords, value: (text: string) => Value) {
  const map = new Map<string, Value>();
  // English words are understood in every language; a word of the request's language comes first.
  for (const language of locale === 'en' ? (['en'] as const) : ([locale, 'en'] as const))
    for (const entry of listOf(WORDS[language][part])) {
      const [word = '', meant = ''] = entry.split('=');
      const key = fold(word);
      if (!map.has(key)) map.set(key, value(meant));
    }
  return map;
}

/**
 * The everyday words of one language: numbers, measures, separators, negations, prepositions, raw forms and ignored words.
 * The English words that are understood in every language are not among them.
 */
export const lexiconWords = (locale: Locale): Set<string> =>
  new Set(
    (['numbers', 'measures', 'separators', 'negations', 'prepositions', 'ignored', 'raw'] as const)
      .flatMap((part) => listOf(WORDS[locale][part]))
      .map((entry) => fold(entry.split('=')[0] ?? '')),
  );

const setOf = (locale: Locale, part: keyof LexiconWords): Set<string> =>
  new Set(mapOf(locale, part, () => '').keys());

function lexiconOf(locale: Locale): Lexicon {
  return {
    numbers: mapOf(locale, 'numbers', Number),
    masses: mapOf(locale, 'masses', Number),
    volumes: mapOf(locale, 'volumes', Number),
    measures: mapOf(locale, 'measures', (meant) => meant.replaceAll('_', ' ')),
    sizes: mapOf(locale, 'sizes', (meant) => meant.replaceAll('_', ' ')),
    energy: setOf(locale, 'energy'),
    separators: setOf(locale, 'separators'),
    ranges: setOf(locale, 'ranges'),
    negations: setOf(locale, 'negations'),
    raw: setOf(locale, 'raw'),
    sugarFree: setOf(locale, 'sugarFree'),
    prepositions: setOf(locale, 'prepositions'),
    ignored: setOf(locale, 'ignored'),
    composites: mapOf(locale, 'composites', (meant) => meant),
  };
}

const lexicons = new Map<Locale, Lexicon>();

export function lexiconFor(locale: Locale): Lexicon {
  let lexicon = lexicons.get(locale);
  if (!lexicon) lexicons.set(locale, (lexicon = lexiconOf(locale)));
  return lexicon;
}
