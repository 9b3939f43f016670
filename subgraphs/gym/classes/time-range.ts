import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';
import type { Range } from './classes.shapes.ts';
import { nextDay, startOfDay } from './local-time.ts';

const DEFAULT_MILLIS = 28 * DAY_MILLIS;
/** The longest range, so that every list of occurrences is bounded. */
const LONGEST_MILLIS = 732 * DAY_MILLIS;

export interface BoundedRange {
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
}

/**
 * The instants of a range. Without `from` it begins now, and without `to` it lasts 28 days. A local day begins and ends at
 * midnight in `zone`.
 * @throws VALIDATION_FAILED if the range ends before it begins, or is longer than 732 days
 */
export function boundedRangeOf({ from, to }: Range, zone: string): BoundedRange {
  const start = from ? instantIn(from, zone, 'first') : new Date();
  const end = to ? instantIn(to, zone, 'last') : new Date(start.getTime() + DEFAULT_MILLIS);
  if (end < start) throw invalid('to', 'expected a time that is not before "from"');
  if (end.getTime() - start.getTime() > LONGEST_MILLIS)
    throw invalid('to', `expected a time at most ${LONGEST_MILLIS / DAY_MILLIS} days after "from"`);
  return { from: start, to: end };
}

export const hasDay = ({ from, to }: Range): boolean =>
  [from, to].some((text) => text?.length === DAY_LENGTH);

const DAY_LENGTH = 'YYYY-MM-DD'.length;

function instantIn(text: string, zone: string, side: 'first' | 'last'): Date {
  if (text.length !== DAY_LENGTH) return new Date(text);
  return startOfDay(side === 'first' ? text : nextDay(text), zone);
}
