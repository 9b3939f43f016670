/** How a file writes numbers and dates: detected from what it says, or said by the request. */

export const DECIMALS = ['POINT', 'COMMA'] as const;
export type Decimal = (typeof DECIMALS)[number];
export const DATE_ORDERS = ['DMY', 'MDY'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

// 1 234,5 and 1'234.5: blanks, thin blanks and apostrophes group digits
const GROUPING = /(?<=\d)[\s\u00A0\u2009\u202F'’](?=\d{3})/gu;
const UNIT = /\s*(kcal|cal|kj|g)$/i;
const bare = (text: string): string => text.trim().replaceAll(GROUPING, '').replace(UNIT, '');

const NUMBERS: Readonly<Record<Decimal, RegExp>> = {
  POINT: /^[+-]?(\d{1,3}(,\d{3})+|\d+|(?=\.\d))(\.\d*)?(e[+-]?\d+)?$/i,
  COMMA: /^[+-]?(\d{1,3}(\.\d{3})+|\d+|(?=,\d))(,\d*)?(e[+-]?\d+)?$/i,
};

/** Undefined: it is no number of this form. */
export function numberOf(text: string, decimal: Decimal): number | undefined {
  const digits = bare(text);
  if (!NUMBERS[decimal].test(digits)) return undefined;
  const value = Number(
    decimal === 'POINT' ? digits.replaceAll(',', '') : digits.replaceAll('.', '').replace(',', '.'),
  );
  return Number.isFinite(value) ? value : undefined;
}

/** Which sign is the decimal one in a number; undefined if either may be, as in `1,234`. */
export function decimalOf(text: string): Decimal | undefined {
  const digits = bare(text);
  const isPoint = NUMBERS.POINT.test(digits);
  const isComma = NUMBERS.COMMA.test(digits);
  if (isPoint === isComma || !/[.,]/.test(digits)) return undefined;
  return isPoint ? 'POINT' : 'COMMA';
}

/** A local day, the time of that day if the text has one, or an instant if it says its offset. */
export type ReadDate =
  | { kind: 'day'; day: string; time: string | undefined }
  | { kind: 'instant'; instant: string };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i;
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const DAY_AND_NAME = /^(\d{1,2})[\s.-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i;
const NAME_AND_DAY = /^([a-z]{3,9})\.?\s+(\d{1,2}),?\s+(\d{4})$/i;
const WEEKDAY = /^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?\.?,?\s+/i;
const TIME = /[\sT,]+(\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?)$/i;

/** Undefined: it is no date of a form that is understood. `order` decides between 3 April and 4 March in `3/4/2026`. */
export function dateOf(text: string, order: DateOrder): ReadDate | undefined {
  const trimmed = text.trim();
  if (INSTANT.test(trimmed)) return { kind: 'instant', instant: trimmed };
  const time = TIME.exec(trimmed)?.[1];
  const clock = time === undefined ? undefined : timeOf(time);
  if (time !== undefined && clock === undefined) return undefined;
  const day = dayOfText(trimmed.replace(TIME, '').replace(WEEKDAY, ''), order);
  return day === undefined ? undefined : { kind: 'day', day, time: clock };
}

function dayOfText(text: string, order: DateOrder): string | undefined {
  const first = YEAR_FIRST.exec(text);
  if (first) return dayText(first[1], first[3], first[4]);
  const last = YEAR_LAST.exec(text);
  if (last) {
    const year = last[4]?.length === 2 ? `20${last[4]}` : last[4];
    // Dots stand between day, month and year in this order only.
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
  // 31 February is turned into a day of March, which is another text.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : undefined;
}

/** `HH:MM` or `HH:MM:SS` of 24 hours; undefined: no time of day. */
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

/** Whether a date can be read in one order only; undefined if its form needs no order, `BOTH` if either fits. */
export function dateOrderOf(text: string): DateOrder | 'BOTH' | undefined {
  const parts = YEAR_LAST.exec(text.trim().replace(TIME, ''));
  if (!parts || parts[2] === '.') return undefined;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  if (first === second) return undefined;
  if (first > 12 && second <= 12) return 'DMY';
  if (second > 12 && first <= 12) return 'MDY';
  return first <= 12 && second <= 12 ? 'BOTH' : undefined;
}
