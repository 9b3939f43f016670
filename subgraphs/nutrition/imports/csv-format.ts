import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';
import type { Column, CsvField } from './csv-columns.ts';
import { DELIMITERS, type Delimiter } from '#server/csv/csv-records.ts';
import { DATE_ORDERS, dateOf, dateOrderOf, decimalOf, type DateOrder, type Decimal } from './csv-values.ts';
import type { Encoding } from '#server/csv/text-lines.ts';

export { DATE_ORDERS, DECIMALS, type DateOrder, type Decimal } from './csv-values.ts';
export { ENCODINGS, type Encoding } from '#server/csv/text-lines.ts';
export type { Delimiter } from '#server/csv/csv-records.ts';
export const DELIMITER_NAMES = Object.keys(DELIMITERS) as [Delimiter, ...Delimiter[]];

/** How a file was read. */
export interface CsvFormat {
  encoding: Encoding;
  delimiter: Delimiter;
  decimal: Decimal;
  /** Null: no date of the records by which the format was detected depends on the order. */
  dateOrder: DateOrder | null;
}

/** The format that a request states; absent parts are detected in the file. */
export type CsvOptions = {
  [Part in keyof CsvFormat]?: CsvFormat[Part] | null | undefined;
};

const NUMERIC: readonly CsvField[] = [
  'quantity',
  'grams',
  'calories',
  'kilojoules',
  'protein',
  'carbs',
  'fats',
];
const DATED: readonly CsvField[] = ['localDate', 'loggedAt'];

/** The decimal sign by the numbers of the first records; by the delimiter if these numbers do not decide. */
export function decimalIn(
  records: readonly (readonly string[])[],
  columns: readonly Column[],
  delimiter: Delimiter,
): Decimal {
  const counts = { POINT: 0, COMMA: 0 };
  for (const text of cells(records, columns, NUMERIC)) {
    const decimal = decimalOf(text);
    if (decimal) counts[decimal] += 1;
  }
  if (counts.POINT === counts.COMMA) return delimiter === 'SEMICOLON' ? 'COMMA' : 'POINT';
  return counts.POINT > counts.COMMA ? 'POINT' : 'COMMA';
}

/**
 * The order of day and month in the dates of the first records: the order of most dates with a day above 12. If there is no such
 * date, it is the order in which no date is more than two days in the future. Null if no date depends on the order.
 * @throws VALIDATION_FAILED if both orders have the same number of dates with a day above 12, or if there are none and both
 * orders are possible, or neither: a wrong guess would put entries on wrong days
 */
export function dateOrderIn(
  records: readonly (readonly string[])[],
  columns: readonly Column[],
  now: Date,
): DateOrder | null {
  const counts = { DMY: 0, MDY: 0 };
  const examples = { DMY: '', MDY: '' };
  const ambiguous: string[] = [];
  for (const text of cells(records, columns, DATED)) {
    const order = dateOrderOf(text);
    if (order === 'BOTH') ambiguous.push(text);
    else if (order) {
      counts[order] += 1;
      examples[order] ||= text;
    }
  }
  if (counts.DMY !== counts.MDY) return counts.DMY > counts.MDY ? 'DMY' : 'MDY';
  if (counts.DMY > 0)
    throw invalid(
      'dateOrder',
      `expected dates in one order, got "${examples.DMY.slice(0, 40)}" (day first) and "${examples.MDY.slice(0, 40)}" (month first); correct the file, or repeat the request with DMY or MDY, and lines with the other order are reported`,
    );
  const [example] = ambiguous;
  if (example === undefined) return null;
  const latest = new Date(now.getTime() + 2 * DAY_MILLIS).toISOString().slice(0, 10);
  const possible = DATE_ORDERS.filter((order) =>
    ambiguous.every((text) => {
      const date = dateOf(text, order);
      return date?.kind === 'day' && date.day <= latest;
    }),
  );
  if (possible.length === 1) return possible[0] ?? null;
  throw invalid(
    'dateOrder',
    `expected DMY (day first) or MDY (month first), because "${example.slice(0, 40)}" may be either; repeat the request with one of them`,
  );
}

function* cells(
  records: readonly (readonly string[])[],
  columns: readonly Column[],
  fields: readonly CsvField[],
): Generator<string> {
  const wanted = columns.flatMap(({ field }, index) => (field && fields.includes(field) ? [index] : []));
  for (const record of records) for (const index of wanted) yield record[index] ?? '';
}
