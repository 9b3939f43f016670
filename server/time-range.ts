import { DateTime } from 'luxon';
import { z } from 'zod';
import { invalid } from './errors.ts';
import { day, instant } from './shapes.ts';

const expectedBound = 'expected a time such as 2026-01-31T18:00:00Z, or a day such as 2026-01-31';

/** A bound of a range: an instant, or a local day. */
const bound = z
  .string()
  .max(64, expectedBound)
  .refine((text) => day.safeParse(text).success || instant.safeParse(text).success, expectedBound);

/** `from` and `to` of a list; both may be absent. */
export const rangeQuery = z.object({
  from: bound.optional().meta({
    description:
      'The beginning: an instant (ISO 8601 with Z or an offset), or a local date, YYYY-MM-DD. Both are inclusive.',
  }),
  to: bound.optional().meta({
    description: 'The end: an instant, which is exclusive, or a local date, which is inclusive.',
  }),
});

/** The same range in rules for several doors; the graph sends null for an absent bound. */
export const RangeInput = z.object({ from: bound.nullish(), to: bound.nullish() });
export type RangeInput = z.infer<typeof RangeInput>;

/** Instants: `from` is inclusive and `to` is exclusive; null if the range has no such bound. */
export interface TimeRange {
  readonly from: Date | null;
  readonly to: Date | null;
}

/**
 * The instants of a range, which may be given by local days.
 * @param zone the time zone of local days
 * @throws VALIDATION_FAILED if the range ends before it begins
 */
export function instantsOf({ from, to }: RangeInput, zone: string): TimeRange {
  const range = { from: from ? startOf(from, zone) : null, to: to ? endOf(to, zone) : null };
  if (range.from && range.to && range.from >= range.to) throw invalid('from', 'expected a time before to');
  return range;
}

const isDay = (text: string): boolean => !text.includes('T');

const startOf = (text: string, zone: string): Date =>
  isDay(text) ? DateTime.fromISO(text, { zone }).startOf('day').toJSDate() : new Date(text);

/** A day ends where the next one begins, which may be 23 or 25 hours after its beginning. */
const endOf = (text: string, zone: string): Date =>
  isDay(text)
    ? DateTime.fromISO(text, { zone }).startOf('day').plus({ days: 1 }).startOf('day').toJSDate()
    : new Date(text);
