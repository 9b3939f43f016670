import fc from 'fast-check';

/** Beginnings that a spreadsheet runs as a formula, and those that look as if our exports had protected one. */
const BEGINNINGS = [
  '',
  '',
  '=',
  '+',
  '-',
  '@',
  "'",
  "'=",
  "''@",
  "'''-",
  '\uFF1D',
  '\uFF0B',
  '"',
  ',',
  ';',
  '0',
  '-1',
];

/** Texts that an export to CSV has to protect: formulas, quotes, separators, apostrophes. */
export const hostileTexts = (maxLength: number, alphabet = 'aB1=+-@\'",;\t é漢'): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...BEGINNINGS),
      fc.string({ unit: fc.constantFrom(...Array.from(alphabet)), minLength: 1, maxLength: maxLength - 4 }),
    )
    .map(([beginning, rest]) => `${beginning}${rest}`.trim())
    .filter((text) => text !== '');

/** All cells of a CSV file. */
export const cellsOf = (csv: string): string[] =>
  [...csv.matchAll(/(?:^|[,\r\n])(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
