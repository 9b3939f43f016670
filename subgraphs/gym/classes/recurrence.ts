import { RRuleTemporal } from 'rrule-temporal';
import { z } from 'zod';
import { DAY_MILLIS } from '#server/durations.ts';
import { invalid, type PlatformError } from '#server/errors.ts';
import { instantOf, isLocalTime, localTimeOf } from './local-time.ts';

/** The most candidates that one evaluation of a rule may try, so that none takes more than a fraction of a second. */
const MAX_CANDIDATES = 50_000;
/** The most starts of one class in a day, by BYHOUR and BYMINUTE. */
const MAX_STARTS_A_DAY = 24;
/** The most occurrences in one answer: enough for seven a day for two years. */
export const MAX_OCCURRENCES = 6_000;

export const Recurrence = z.object({
  startsAt: z
    .string()
    .max(19) // with seconds
    .transform((text) => text.replace(/(T\d\d:\d\d):00$/, '$1'))
    .refine(isLocalTime, {
      error: 'expected a local time without an offset, such as 2026-11-23T06:30',
      abort: true,
    })
    .refine((text) => text >= '2000' && text < '3000', 'expected a year from 2000 to 2999')
    .meta({
      description: 'The first start, a local time of the location without an offset: `2026-11-23T06:30`.',
    }),
  rrule: z
    .string()
    .trim()
    .max(500)
    .transform((text) => text.replace(/^RRULE:/i, '').toUpperCase())
    .nullish()
    .transform((text) => text ?? null)
    .meta({
      description:
        'A recurrence rule of RFC 5545 such as `FREQ=WEEKLY;BYDAY=MO`, with FREQ at least DAILY; null: the class takes place once.',
    }),
});
export type Recurrence = z.infer<typeof Recurrence>;

/** @throws VALIDATION_FAILED for a rule that RFC 5545 does not allow, or that has too many starts in a day */
export function checkRule({ startsAt, rrule }: Recurrence, zone: string): void {
  if (rrule === null) return;
  const refuse = (message: string): PlatformError => invalid('recurrence.rrule', message);
  const parts = new Map<string, string>();
  for (const part of rrule.split(';')) {
    const [name = '', value] = part.split('=', 2);
    if (!PARTS.has(name) || !value) throw refuse(`expected parts such as FREQ=WEEKLY, got "${part}"`);
    if (parts.has(name)) throw refuse(`${name} occurs twice`);
    parts.set(name, value);
  }
  if (!FREQUENCIES.has(parts.get('FREQ') ?? ''))
    throw refuse('expected FREQ=DAILY, WEEKLY, MONTHLY or YEARLY');
  for (const [name, [least, most, isSigned]] of Object.entries(RANGES))
    for (const value of parts.get(name)?.split(',') ?? []) {
      const number = isSigned ? Math.abs(Number(value)) : Number(value);
      if (!/^[+-]?\d+$/.test(value) || number < least || number > most)
        throw refuse(
          `expected ${name} from ${least} to ${most}${isSigned ? ', or negative' : ''}, got ${value}`,
        );
    }
  const until = parts.get('UNTIL');
  if (until !== undefined && !UNTIL.test(until)) throw refuse('expected UNTIL such as 20271231T235959Z');
  const count = (name: string) => parts.get(name)?.split(',').length ?? 1;
  if (count('BYHOUR') * count('BYMINUTE') > MAX_STARTS_A_DAY)
    throw refuse(`expected at most ${MAX_STARTS_A_DAY} starts a day`);
  try {
    const from = new Date(`${startsAt}:00Z`);
    ruleOf({ startsAt, rrule }, zone)?.between(from, new Date(from.getTime() + 7 * DAY_MILLIS), true);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : 'expected a rule of RFC 5545');
  }
}

const PARTS: ReadonlySet<string> = new Set(
  'FREQ INTERVAL COUNT UNTIL BYDAY BYMONTHDAY BYYEARDAY BYWEEKNO BYMONTH BYSETPOS BYHOUR BYMINUTE WKST'.split(
    ' ',
  ),
);
const FREQUENCIES: ReadonlySet<string> = new Set(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']);
/** The numbers of each part: the least, the greatest, and whether they may count from the end. */
const RANGES: Readonly<Record<string, [least: number, most: number, isSigned?: true]>> = {
  INTERVAL: [1, 1_000],
  COUNT: [1, 10_000],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYMONTH: [1, 12],
  BYMONTHDAY: [1, 31, true],
  BYYEARDAY: [1, 366, true],
  BYWEEKNO: [1, 53, true],
  BYSETPOS: [1, 366, true],
};
const UNTIL = /^(\d{8})(?:T(\d{4})\d\d(Z?))?$/;

/**
 * The local starts in a range of instants (`from` inclusive, `to` exclusive), in order. The rule is evaluated in local
 * times, without a zone. Otherwise a start that is moved by a change of the clocks would also move the later ones.
 * @throws VALIDATION_FAILED if there are more than `MAX_OCCURRENCES`
 */
export function localStarts(recurrence: Recurrence, zone: string, from: Date, to: Date): string[] {
  // One day more on each side, because a local time differs from UTC by up to 14 hours.
  const [first, last] = [from.getTime() - DAY_MILLIS, to.getTime() + DAY_MILLIS];
  const rule = ruleOf(recurrence, zone);
  const locals = rule
    ? rule.between(new Date(first), new Date(last), true).map((start) => start.toString().slice(0, 16))
    : [recurrence.startsAt];
  const starts = locals.filter((local) => {
    const instant = instantOf(local, zone);
    return instant >= from && instant < to;
  });
  if (starts.length > MAX_OCCURRENCES)
    throw invalid('recurrence.rrule', `expected at most ${MAX_OCCURRENCES} sessions in the requested time`);
  return starts;
}

/** The rule with local times as if they were in UTC; undefined for a class that takes place once. */
function ruleOf({ startsAt, rrule }: Recurrence, zone: string): RRuleTemporal<Occurrence> | undefined {
  if (rrule === null) return undefined;
  const start = `${startsAt.replaceAll(/[-:]/g, '')}00Z`;
  return new RRuleTemporal({
    rruleString: `DTSTART:${start}\nRRULE:${withLocalUntil(rrule, zone)}`,
    temporal: TEMPORAL_WITH_TEXTS,
    strict: true,
    maxIterations: MAX_CANDIDATES,
    maxCandidateEvaluations: MAX_CANDIDATES,
  });
}

/** UNTIL is an instant (with Z), a local time, or a day (inclusive); the evaluation needs a local time, written as UTC. */
const withLocalUntil = (rrule: string, zone: string): string =>
  rrule.replace(/UNTIL=([^;]+)/, (whole, text: string) => {
    const [, day = '', time, utc] = UNTIL.exec(text) ?? [];
    if (!time) return `UNTIL=${day}T235959Z`;
    if (!utc) return `UNTIL=${day}T${time}59Z`;
    const digits = `${day}T${time}`;
    const iso = digits.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:00Z');
    const instant = new Date(iso);
    if (Number.isNaN(instant.getTime())) return whole;
    return `UNTIL=${localTimeOf(instant, zone).replaceAll(/[-:]/g, '')}59Z`;
  });

/** An occurrence as a text. It replaces `Temporal.ZonedDateTime`, which this version of Node does not have. */
interface Occurrence {
  readonly timeZoneId: string;
  toString(): string;
}
/** What the library uses of the `Temporal` namespace. */
const TEMPORAL_WITH_TEXTS = {
  ZonedDateTime: { from: (text: string): Occurrence => ({ timeZoneId: 'UTC', toString: () => text }) },
};
