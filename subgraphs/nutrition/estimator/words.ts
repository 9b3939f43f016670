/** The spelling, number and sound of words, for names of foods and for meal texts. */

/** In lower case without accents; an apostrophe, hyphen or point separates words. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/'s\b/g, 's')
    .replaceAll(/[-'.]/g, ' ')
    .trim();

const KEEPS_S = new Set(
  'hummus houmous humus couscous asparagus molasses swiss oats cous lays jerrys citrus haggis radis mais puis sans riz anis gas'.split(
    ' ',
  ),
);

/** Removes the ending of a plural: English, French and Spanish. */
export const singular = (word: string): string => {
  if (word.length < 4 || KEEPS_S.has(word) || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith('ies'))
    return word === 'cookies' || word === 'smoothies' ? word.slice(0, -1) : `${word.slice(0, -3)}y`;
  if (word.endsWith('loaves')) return 'loaf';
  if (word === 'leaves') return 'leaf';
  if (word === 'halves') return 'half';
  if (/(eaux|oux|eux)$/.test(word)) return word.slice(0, -1);
  if (/(ones|ores|ales|eles|anes)$/.test(word) && word.length > 6) return word.slice(0, -2);
  if (word.endsWith('oes') || /(s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
};

/** Removes the ending of a German word: `Bananen`, `gelbe`, `Kindern`. */
export const germanStem = (word: string): string =>
  word.length < 5 ? word : word.replace(/(ern|en|er|n|e|s)$/, '');

/** A rough form of the sound of a word, which errors such as `serial`, `stake` and `hunny` do not change. */
export const soundOf = (word: string): string =>
  word
    .replaceAll(/c(?=[eiy])/g, 's')
    .replaceAll('dg', 'g')
    .replaceAll(/ck|c|q/g, 'k')
    .replaceAll('ph', 'f')
    .replaceAll(/z/g, 's')
    .replaceAll(/(?<=[gkrwt])h/g, '')
    .replaceAll(/(?!^)[aeiouyhw]/g, '')
    .replaceAll(/(.)\1+/g, '$1');

/** Whether a word is an English adverb or participle, which says nothing about the food: `lightly`, `toasted`. */
export const isAdverbOrParticiple = (word: string): boolean => word.length > 5 && /[^e]ed$|ly$/.test(word);

/** The words for "with" in all languages. */
export const WITH: readonly string[] = ['with', 'mit', 'avec', 'con'];
/** The words for "and" in all languages. */
export const AND: readonly string[] = ['and', 'und', 'et', 'y'];
