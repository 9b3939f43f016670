import type { Locale } from '../foods/food.ts';
import type { FoodNames } from './food-names.ts';
import type { Lexicon } from './lexicons/lexicon.ts';
import { fold } from './words.ts';

/** A word, a number or a mark of a meal text. */
export type Token =
  | { kind: 'word'; text: string }
  | {
      kind: 'number';
      value: number;
      /** Whether the number is written as a fraction: "1/2". */
      fraction: boolean;
      /** Whether a decimal sign is before three digits, so that the number could be a thousand times larger: "2.000". */
      doubtful: boolean;
    }
  /** `x`: "times"; `-`: a dash between spaces; `~`: any other dash, hyphen or tilde, as in "2-3". */
  | { kind: 'mark'; text: ',' | '\n' | '(' | ')' | ':' | '-' | 'x' | '~' };

const MAX_CHARACTERS = 4_000;
const MAX_TOKENS = 600;
const DECIMAL_COMMA: ReadonlySet<Locale> = new Set(['de', 'fr', 'es']);

export interface Language {
  locale: Locale;
  lexicon: Lexicon;
  names: FoodNames;
}

/**
 * Splits a text into tokens, after different spellings of the same thing were unified. `rest` is the end of a text that is
 * too long; it is not read.
 */
export function tokensOf(text: string, language: Language): { tokens: Token[]; rest: string } {
  const tokens: Token[] = [];
  const cleaned = clean(text);
  let before = '';
  for (const { 0: part, index } of cleaned.matchAll(
    /\d+\s*\/\s*\d+|\d{1,3}(?:[.,]\d{3})+(?![\d])|\d+(?:[.,]\d+)?|\.\d+|[\p{L}']+|[\n;,+()[\]:=×*]|\.(?=\s|$)|\s[-–—]\s|[-–—−~/|]/gu,
  )) {
    const token = tokenOf(part, language.locale);
    // "6 x 30 g", "8oz", "150gchicken": letters directly after a number
    if (token?.kind === 'word') tokens.push(...splitWord(token.text, tokens.at(-1), language));
    else if (token?.kind === 'number' && /^[-–−]$/.test(before) && isMinus(tokens)) {
      tokens.pop();
      tokens.push({ ...token, value: -token.value });
    } else if (token) tokens.push(token);
    before = part;
    if (tokens.length >= MAX_TOKENS) return { tokens, rest: cleaned.slice(index + part.length) };
  }
  return { tokens, rest: '' };
}

/**
 * Whether the last mark is a minus sign. It is one at the beginning of the text and after another mark, except after a
 * closing bracket; after a number it can be the sign of a range, as in "2-3".
 */
const isMinus = (tokens: readonly Token[]): boolean => {
  const last = tokens.at(-1);
  if (last?.kind !== 'mark' || last.text !== '~') return false;
  const before = tokens.at(-2);
  return before === undefined || (before.kind === 'mark' && before.text !== ')');
};

const clean = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    // "1 000 ml", "1’500 g": thousands with a no-break space, thin space or apostrophe, or with a plain space before three
    // zeros
    .replaceAll(/(?<![\d.,])\d{1,3}(?:(?:[\u00a0\u2009\u202f'’]\d{3})+|(?: 000)+)(?!\d)/g, (grouped) =>
      grouped.replaceAll(/\D/g, ''),
    )
    .replaceAll(/(\d)\s*([¼½¾⅐-⅞])/g, '$1 $2')
    .replaceAll(/(\d)[-–](\d+\s*\/\s*\d+)/g, '$1 $2') // "1-1/2"
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('⁄', '/')
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/\bw\/o\b/g, ' without ')
    .replaceAll(/\bw\//g, ' with ')
    .replaceAll(/\bpb\s*&\s*j\b/g, 'pbj')
    .replaceAll(/\bm\s*&\s*m'?s?\b/g, 'mms')
    .replaceAll(/\bg\s*&\s*t\b/g, 'gin and tonic')
    .replaceAll(/'s\b/g, 's')
    .replaceAll(/(?<=[\p{L}\d])-(?=\p{L})/gu, ' ')
    .replaceAll('&', ' and ')
    .replaceAll(/\b(?:fl|fluid)\.?\s*(?:oz|ounces?)\b\.?/g, ' floz ')
    .replaceAll(/\b(oz|lbs?|tbsps?|tsps?|gr?|ml|pcs?|kg|el|tl|st|stk|ca|c)\.(?=\s|,|$)/g, '$1')
    .replaceAll(/\bc\.?\s?a\.?\s?s\b\.?/g, ' cas ')
    .replaceAll(/\bc\.?\s?a\.?\s?c\b\.?/g, ' cac ')
    .replaceAll(/\b(\d+)\s*kj\b/g, (_all, joules: string) => `${Math.round(Number(joules) / 4.184)} kcal`)
    // "no sugar coke", "sugar-free jelly": a kind of food, not something that is left out
    .replaceAll(
      /\b(?:no|zero|without|sans|sin|ohne)[ -](?:added )?(?:sugar|sucre|azucar|zucker)[ -](?=\p{L})/gu,
      ' sugarfree ',
    )
    .replaceAll(/\b(?:sugar|zucker)[- ]?(?:free|frei\p{L}{0,2})\b/gu, ' sugarfree ')
    .replaceAll(/\bcuill?er(?:e|ee)?s?\s+(?:a|de)\s+soupe\b|\bc\.?\s+a\s+soupe\b/g, 'cas')
    .replaceAll(/\bcuill?er(?:e|ee)?s?\s+(?:a|de)\s+(?:cafe|the)\b|\bc\.?\s+a\s+cafe\b/g, 'cac')
    .replaceAll(/\bcucharadas?\s+soperas?\b/g, 'cucharada')
    .replaceAll(/\bsix[\s-]?inch\b/g, ' small ')
    .replaceAll(/\b7[\s-]?up\b/g, 'seven up')
    .replaceAll(/\b(coke|cola|pepsi|sprite|fanta)\s*0\b(?![.,]?\d)/g, '$1 zero')
    .replaceAll(/\b[5-9]\d\s?%\s*(?:cocoa\s*|cacao\s*|dark\s*)?(?=chocolate\b)/g, 'dark ')
    // the width of a pizza, the length of a sandwich
    .replaceAll(/\b(\d+)[\s-]*(?:inch(?:es)?\b|")/g, (_all, inches: string) =>
      Number(inches) < 11 ? ' small ' : Number(inches) < 14 ? ' medium ' : ' large ',
    )
    // percentages belong to the kind of a food, not to its amount
    .replaceAll(/\b[12]\s?%\s*(?:fat\s*)?milk/g, 'semi skimmed milk')
    .replaceAll(/\b0[.,]?[0-3]?\s?%\s*(?:fat|fett|mg|m\.g\.)?/g, ' nonfat ')
    .replaceAll(/\b9\d\s?%\s*(?:lean\s*)?(?=ground beef|beef)/g, ' lean ')
    .replaceAll(/\b\d+(?:[.,]\d+)?\s?%\s*(?:fat|fett|lean|cocoa|cacao|kakao|vol)?/g, ' ')
    .replaceAll(/\bfat[- ]free\b|\bnon[- ]fat\b/g, 'nonfat')
    .replaceAll(/\b(?:gluten|dairy|lactose|caffeine|salt|cage)[- ]free\b/g, ' ')
    .replaceAll(
      /\begg(s?),?\s+(scrambled|fried|boiled|hard[- ]boiled|poached)\b(?!\s+(?:rice|noodle))/g,
      '$2 egg$1',
    );

function splitWord(text: string, before: Token | undefined, { lexicon, names, locale }: Language): Token[] {
  const words = fold(text).split(' ').filter(Boolean);
  return words.flatMap((word): Token[] => {
    if (word === 'x' && (before?.kind === 'number' || words.length === 1))
      return [{ kind: 'mark', text: 'x' }];
    if (isKnown(word, lexicon, names)) return [{ kind: 'word', text: word }];
    const glued = before?.kind === 'number' ? unitInFront(word, { lexicon, names }) : undefined;
    if (glued)
      return [
        glued.unit === 'x' ? { kind: 'mark', text: 'x' } : { kind: 'word', text: glued.unit },
        ...splitWord(glued.rest, undefined, { lexicon, names, locale }),
      ];
    const parts = word.length > 5 ? names.split(word) : undefined;
    return (parts ?? [word]).map((part) => ({ kind: 'word', text: part }));
  });
}

/** The unit at the beginning of a word after a number: "gchicken". A split that leaves the name of a food is preferred. */
function unitInFront(
  word: string,
  { lexicon, names }: Pick<Language, 'lexicon' | 'names'>,
): { unit: string; rest: string } | undefined {
  const ways: { unit: string; rest: string }[] = [];
  for (let at = Math.min(14, word.length - 2); at > 0; at--) {
    const unit = word.slice(0, at);
    if (isUnit(unit, lexicon) || unit === 'x') ways.push({ unit, rest: word.slice(at) });
  }
  return (
    ways.find(({ rest }) => names.foodAt([rest])?.corrected === false) ??
    ways.find(({ rest }) => isKnown(rest, lexicon, names)) ??
    ways.find(({ rest }) => names.split(rest) !== undefined || (rest.length > 3 && names.spelled(rest)))
  );
}

const isUnit = (word: string, lexicon: Lexicon): boolean =>
  lexicon.masses.has(word) ||
  lexicon.volumes.has(word) ||
  lexicon.measures.has(word) ||
  lexicon.energy.has(word);

const isKnown = (word: string, lexicon: Lexicon, names: FoodNames): boolean =>
  names.has(word) ||
  isUnit(word, lexicon) ||
  lexicon.ignored.has(word) ||
  lexicon.numbers.has(word) ||
  lexicon.separators.has(word) ||
  lexicon.negations.has(word) ||
  lexicon.raw.has(word) ||
  lexicon.sizes.has(word) ||
  lexicon.composites.has(word) ||
  lexicon.prepositions.has(word);

function tokenOf(part: string, locale: Locale): Token | undefined {
  if (/^\.?\d/.test(part)) return numberOf(part, locale);
  if (/^[\p{L}']/u.test(part)) {
    const word = part.replaceAll(/^'+|'+$/g, '');
    return word ? { kind: 'word', text: word } : undefined;
  }
  if (part === '\n') return { kind: 'mark', text: '\n' };
  if (part === '(' || part === '[') return { kind: 'mark', text: '(' };
  if (part === ')' || part === ']') return { kind: 'mark', text: ')' };
  if (part === '×' || part === '*') return { kind: 'mark', text: 'x' };
  if (part === ':' || part === '=') return { kind: 'mark', text: ':' };
  if (/^\s[-–—]\s$/.test(part)) return { kind: 'mark', text: '-' };
  if (/^[-–—−~]$/.test(part)) return { kind: 'mark', text: '~' };
  return { kind: 'mark', text: ',' };
}

function numberOf(part: string, locale: Locale): Token {
  const [above, below] = part.split('/');
  if (below !== undefined)
    return {
      kind: 'number',
      value: Number(below) === 0 ? Number(above) : Number(above) / Number(below),
      fraction: true,
      doubtful: false,
    };
  const grouped = /^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/.exec(part);
  const thousands = DECIMAL_COMMA.has(locale) ? '.' : ',';
  if (grouped && (grouped[1] === thousands || part.length > 7))
    return { kind: 'number', value: Number(part.replaceAll(/[.,]/g, '')), fraction: false, doubtful: false };
  return {
    kind: 'number',
    value: Number(part.replace(',', '.')),
    fraction: false,
    doubtful: grouped !== null && !part.startsWith('0'),
  };
}
