/** The formats of numbers and dates in a file, which the request states or which are detected. */

export const DECIMALS = ['POINT', 'COMMA'] as const;
export type Decimal = (typeof DECIMALS)[number];
export const DATE_ORDERS = ['DMY', 'MDY'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

// Without the lookbehinds of UNIT and TIME, a match would be tried at each space of a long row of spaces, in quadratic time.
// GROUPING: in 1 234,5 and 1'234.5, spaces, thin spaces and apostrophes group digits.
const GROUPING = /(?<=\d)[\s\u00A0\u2009\u202F'’](?=\d{3})/gu;
const UNIT = /(?<!\s)\s*(kcal|cal|kj|g)$/i;
const bare = (text: string): string => text.trim().replaceAll(GROUPING, '').replace(UNIT, '');

const NUMBERS: Readonly<Record<Decimal, RegExp>> = {
  POINT: /^[+-]?(\d{1,3}(,\d{3})+|\d+|(?=\.\d))(\.\d*)?(e[+-]?\d+)?$/i,
  COMMA: /^[+-]?(\d{1,3}(\.\d{3})+|\d+|(?=,\d))(,\d*)?(e[+-]?\d+)?$/i,
};

/** Undefined: the text is no number with this decimal sign. */
export function numberOf(text: string, decimal: Decimal): number | undefined {
  const digits = bare(text);
  if (!NUMBERS[decimal].test(digits)) return undefined;
  const value = Number(
    decimal === 'POINT' ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.'),
  );
  return Number.isFinite(value) ? value : undefined;
}

/** The decimal sign of a number; undefined if it has none, if it is ambiguous as in `1,234`, or if the text is no number. */
export function decimalOf(text: string): Decimal | undefined {
  const digits = bare(text);
  const isPoint = NUMBERS.POINT.test(digits);
  const isComma = NUMBERS.COMMA.test(digits);
  if (isPoint === isComma || !/[.,]/.test(digits)) return undefined;
  return isPoint ? 'POINT' : 'COMMA';
}

/** A local day, with its time if the text has one; an instant if the text has an offset. */
type ReadDate = { kind: 'day'; day: string; time: string | undefined } | { kind: 'instant'; instant: string };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const DAY_AND_NAME = /^(\d{1,2})[\s.-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i;
const NAME_AND_DAY = /^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$/i;
const WEEKDAY = /^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\.?,?\s+/i;
const TIME = /(?<![\sT,])[\sT,]+(\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?)$/i;

/** Undefined: the text is no date of a known form. `order` decides whether `3/4/2026` is 3 April or 4 March. */
export function dateOf(text: string, order: DateOrder): ReadDate | undefined {
  const trimmed = text.trim();
  if (INSTANT.test(trimmed)) return { kind: 'instant', instant: trimmed };
  const time = TIME.exec(trimmed)?.[1];
  const clock = time === undefined ? undefined : timeOf(time);
  if (time !== undefined && clock === undefined) return undefined;
  const day = dayOfText(onlyDay(trimmed), order);
  return day === undefined ? undefined : { kind: 'day', day, time: clock };
}

/** A date without its time and weekday. */
const onlyDay = (trimmed: string): string => trimmed.replace(TIME, '').replace(WEEKDAY, '');

function dayOfText(text: string, order: DateOrder): string | undefined {
  const first = YEAR_FIRST.exec(text);
  if (first) return dayText(first[1], first[3], first[4]);
  const last = YEAR_LAST.exec(text);
  if (last) {
    const year = last[4]?.length === 2 ? `20${last[4]}` : last[4];
    // With dots, the order is always day, month, year.
    return order === 'MDY' && last[2] !== '.'
      ? dayText(year, last[1], last[3])
      : dayText(year, last[3], last[1]);
  }
  const named = DAY_AND_NAME.exec(text);
  if (named) return dayText(named[3], monthOf(named[2]), named[1]);
  const month = NAME_AND_DAY.exec(text);
  return month ? dayText(month[3], monthOf(month[1]), month[2]) : undefined;
}

const monthOf = (name: string | undefined): string =>
  String(MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1);

function dayText(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): string | undefined {
  const text = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  // JavaScript turns 31 February into a day of March, whose text differs.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

/** `HH:MM` or `HH:MM:SS` of 24 hours; undefined: the text is no time of day. */
export function timeOf(text: string): string | undefined {
  const [, hours = '', minutes = '', seconds, half] =
    /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([ap])?\.?(?:m\.?)?$/i.exec(text.trim()) ?? [];
  if (hours === '') return undefined;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return undefined;
  return `${String(hour).padStart(2, '0')}:${minutes}${seconds === undefined ? '' : `:${seconds}`}`;
}

/** The only possible order of a date; `BOTH` if it is ambiguous, undefined if its form needs no order. */
export function dateOrderOf(text: string): DateOrder | 'BOTH' | undefined {
  const parts = YEAR_LAST.exec(onlyDay(text.trim()));
  if (!parts || parts[2] === '.') return undefined;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  if (first === second) return undefined;
  if (first > 12 && second <= 12) return 'DMY';
  if (second > 12 && first <= 12) return 'MDY';
  return first <= 12 && second <= 12 ? 'BOTH' : undefined;
}
