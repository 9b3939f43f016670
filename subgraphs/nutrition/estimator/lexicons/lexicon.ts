import type { Locale } from '../../foods/food.ts';
import { fold } from '../words.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

/** The words of one language that are not names of foods, as people write them. */
export interface LexiconWords {
  /** `word=value`; a value below 1 is a fraction. */
  numbers: string;
  /** `word=grams`. */
  masses: string;
  /** `word=millilitres`. */
  volumes: string;
  /** `word=name of the measure in the food table`. */
  measures: string;
  /** `word=small|medium|large ...`. */
  sizes: string;
  /** Words for a kilocalorie. */
  energy: string;
  /** They separate one food from the next. */
  separators: string;
  /** They join numbers to a range: `2 to 3`. */
  ranges: string;
  /** What follows is not eaten. */
  negations: string;
  /** The raw or dry form of a food is meant. */
  raw: string;
  /** The form without sugar is meant. */
  sugarFree: string;
  /** They join a food to what it is made of or flavoured with: `jus de pomme`. */
  of: string;
  /** They say how a food is made or when it was eaten, and change no figure. */
  ignored: string;
  /** `word=food id`: dishes that are a base and what is put in it. */
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
  of: ReadonlySet<string>;
  ignored: ReadonlySet<string>;
  composites: ReadonlyMap<string, string>;
}

const WORDS: Readonly<Record<Locale, LexiconWords>> = { en, de, fr, es };

const listOf = (words: string): string[] => words.split(/[\s,]+/).filter(Boolean);

function mapOf<Value>(locale: Locale, part: keyof LexiconWords, value: (text: string) => Value) {
  const map = new Map<string, Value>();
  // English is understood beside every language, but the language of the request decides first.
  for (const language of locale === 'en' ? (['en'] as const) : ([locale, 'en'] as const))
    for (const entry of listOf(WORDS[language][part])) {
      const [word = '', meant = ''] = entry.split('=');
      const key = fold(word);
      if (!map.has(key)) map.set(key, value(meant));
    }
  return map;
}

/** The everyday words of one language alone. */
export const ownWords = (locale: Locale): Set<string> =>
  new Set(
    (['numbers', 'measures', 'separators', 'negations', 'of', 'ignored', 'raw'] as const)
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
    of: setOf(locale, 'of'),
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
