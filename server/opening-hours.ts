import { DateTime } from 'luxon';
import { z } from 'zod';
import { day } from './shapes.ts';

/** The opening hours of a location, which the services gym and wizard read: local times by day of the week, with exceptions by date. */

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const MINUTES_OF_DAY = 24 * 60;
const MAX_INTERVALS_A_DAY = 24;
const MAX_EXCEPTIONS = 400; // more than a year of days

const expectedTime = 'expected a time such as 06:30';

/** A time from `opens` to `closes`. If `closes` is not later than `opens`, it is on the next day. */
const interval = z.object({
  opens: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, expectedTime)
    .meta({ description: 'Local time, HH:MM.' }),
  closes: z
    .string()
    .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, expectedTime)
    .meta({
      description:
        'Local time, HH:MM; `24:00` is midnight. A time that is not later than `opens` is on the next day.',
    }),
});
type Interval = z.infer<typeof interval>;

const OVERLAP = 'expected intervals that do not overlap, also with those of the day before and after';

const intervalsOfDay = z
  .array(interval)
  .max(MAX_INTERVALS_A_DAY, `expected at most ${MAX_INTERVALS_A_DAY} intervals a day`);

/** The stored form: any number of intervals for each day. */
const intervalsByDay = z
  .partialRecord(z.enum(DAYS, 'expected mon, tue, wed, thu, fri, sat or sun'), intervalsOfDay)
  .superRefine((hours, context) => {
    const spans = DAYS.flatMap((name, index) =>
      (hours[name] ?? []).map((one) => ({ name, ...spanOf(one, index * MINUTES_OF_DAY) })),
    );
    // Monday follows Sunday, so the intervals of the next week are compared, too.
    const found = overlapIn([...spans, ...spans.map((one) => laterBy(7 * MINUTES_OF_DAY, one))]);
    if (found) context.addIssue({ code: 'custom', path: [found.name], message: OVERLAP });
  });

/** The accepted input. Earlier clients send one object instead of a list for a day, because a day had one interval. */
export const openingHours = z
  .partialRecord(
    z.enum(DAYS, 'expected mon, tue, wed, thu, fri, sat or sun'),
    z.union([intervalsOfDay, interval]),
  )
  .transform((hours) =>
    Object.fromEntries(
      Object.entries(hours).map(([name, times]) => [name, Array.isArray(times) ? times : [times]]),
    ),
  )
  .pipe(intervalsByDay)
  .meta({
    description:
      'Local times by day, `{"mon": [{"opens": "06:30", "closes": "12:00"}, {"opens": "16:00", "closes": "01:00"}]}`; a day without times is closed. An interval whose `closes` is not later than its `opens` ends on the next day. One object instead of a list is accepted, too.',
  });
export type OpeningHours = z.infer<typeof openingHours>;

const exception = z
  .object({
    date: day.meta({ description: 'The local date, YYYY-MM-DD.' }),
    closed: z.boolean().optional().meta({ description: 'Whether the location does not open on this date.' }),
    intervals: intervalsOfDay
      .optional()
      .meta({ description: 'The times of this date instead of those of the day of the week.' }),
  })
  .refine(
    ({ closed = false, intervals = [] }) => closed !== intervals.length > 0,
    'expected either closed: true or intervals',
  );
export type OpeningException = z.infer<typeof exception>;

/** Dates with other opening hours, such as holidays. */
export const openingExceptions = z
  .array(exception)
  .max(MAX_EXCEPTIONS, `expected at most ${MAX_EXCEPTIONS} dates`)
  .superRefine((exceptions, context) => {
    const dates = exceptions.map(({ date }) => date);
    const repeated = dates.findIndex((date, index) => dates.indexOf(date) !== index);
    if (repeated !== -1)
      context.addIssue({ code: 'custom', path: [repeated, 'date'], message: 'expected each date once' });
    const spans = exceptions.flatMap(({ date, intervals = [] }, index) =>
      intervals.map((one) => ({ index, ...spanOf(one, Math.floor(Date.parse(date) / 60_000)) })),
    );
    const found = overlapIn(spans);
    if (found) context.addIssue({ code: 'custom', path: [found.index, 'intervals'], message: OVERLAP });
  })
  .meta({
    description:
      'Dates with other hours, `[{"date": "2026-12-24", "intervals": [{"opens": "08:00", "closes": "14:00"}]}, {"date": "2026-12-25", "closed": true}]`: an exception replaces the hours of its day.',
  });

/** The parts of a location that decide when it is open. */
export interface Opening {
  timezone: string;
  /** Null: always open, apart from the exceptions. */
  openingHours: OpeningHours | null;
  openingExceptions: readonly OpeningException[];
}

/**
 * Whether the location is open at this instant. An interval belongs to the day on which it opens. A local time that a change
 * of the clocks skips is read with the offset before the change; of two equal local times the first one counts.
 */
export function isOpenAt(opening: Opening, at: Date): boolean {
  const { timezone, openingHours: hours, openingExceptions: exceptions } = opening;
  if (!hours && exceptions.length === 0) return true;
  const today = DateTime.fromJSDate(at, { zone: timezone }).startOf('day');
  const millis = at.getTime();
  // Yesterday's intervals may end today.
  return [today.minus({ days: 1 }), today].some((date) =>
    intervalsOf(opening, date).some(
      ({ opens, closes }) =>
        instantOf(date, opens, timezone) <= millis &&
        millis < instantOf(closes <= opens ? date.plus({ days: 1 }) : date, closes, timezone),
    ),
  );
}

const ALWAYS: readonly Interval[] = [{ opens: '00:00', closes: '24:00' }];

function intervalsOf(
  { openingHours: hours, openingExceptions: exceptions }: Opening,
  date: DateTime,
): readonly Interval[] {
  const isoDate = date.toISODate();
  const exceptional = exceptions.find((one) => one.date === isoDate);
  if (exceptional) return exceptional.intervals ?? [];
  const name = DAYS[date.weekday - 1];
  if (!hours) return ALWAYS;
  // A row that an earlier release has written may have one object for a day.
  return [(name && hours[name]) ?? []].flat();
}

/** The instant of a local time, in milliseconds since 1970. */
function instantOf(date: DateTime, time: string, zone: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const wall = Date.UTC(date.year, date.month - 1, date.day, hour, minute); // 24:00 is 00:00 of the next day
  // If the clocks change on this day, the offset of a day earlier is the old one. With it, the first of two equal local times
  // is found.
  const before = offsetMillis(wall - MINUTES_OF_DAY * 60_000, zone);
  const early = wall - before;
  const offset = offsetMillis(early, zone);
  if (offset === before) return early;
  const late = wall - offset;
  return offsetMillis(late, zone) === offset ? late : early;
}

const offsetMillis = (instant: number, zone: string): number =>
  DateTime.fromMillis(instant, { zone }).offset * 60_000;

interface Span {
  start: number;
  end: number;
}

/** An interval in minutes, counted from the same point in time as `midnight`, the beginning of its day. */
function spanOf({ opens, closes }: Interval, midnight: number): Span {
  const [start, end] = [minutesOf(opens), minutesOf(closes)];
  return { start: midnight + start, end: midnight + (end <= start ? end + MINUTES_OF_DAY : end) };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const laterBy = <Of extends Span>(minutes: number, span: Of): Of => ({
  ...span,
  start: span.start + minutes,
  end: span.end + minutes,
});

/** The first span that begins before an earlier one has ended. */
function overlapIn<Of extends Span>(spans: readonly Of[]): Of | undefined {
  const ordered = spans.toSorted((a, b) => a.start - b.start);
  let end = -Infinity;
  for (const span of ordered) {
    if (span.start < end) return span;
    end = Math.max(end, span.end);
  }
  return undefined;
}
