import { DAY_MILLIS } from '#server/durations.ts';
import { invalid } from '#server/errors.ts';
import type { Range } from './classes.shapes.ts';
import { nextDay, startOfDay } from './local-time.ts';

const DEFAULT_MILLIS = 28 * DAY_MILLIS;
/** The longest range, so that every list of occurrences is bounded. */
const LONGEST_MILLIS = 732 * DAY_MILLIS;

export interface Span {
  /** Inclusive. */
  from: Date;
  /** Exclusive. */
  to: Date;
}

/** The instants of a range; its days are those of the zone. @throws VALIDATION_FAILED */
export function spanOf({ from, to }: Range, zone: string): Span {
  const start = from ? instantIn(from, zone, 'first') : new Date();
  const end = to ? instantIn(to, zone, 'last') : new Date(start.getTime() + DEFAULT_MILLIS);
  if (end < start) throw invalid('to', 'expected a time after "from"');
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
