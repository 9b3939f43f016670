/** Spelling and number of words, for names of foods and for meal texts alike. */

/** Small letters without accents; what is written with an apostrophe, hyphen or point becomes words of its own. */
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

/** What a word sounds like, roughly: slips such as `serial`, `stake` and `hunny` keep it. */
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
