import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { instantOf } from '../../subgraphs/gym/classes/local-time.ts';
import { checkRule, localStarts } from '../../subgraphs/gym/classes/recurrence.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

/**
 * The instant of a local time by another calendar library; `compatible` is RFC 5545's rule for gaps and repeated
 * times.
 */
const expected = (local: string, zone: string): string =>
  Temporal.PlainDateTime.from(local)
    .toZonedDateTime(zone, { disambiguation: 'compatible' })
    .toInstant()
    .toString({ smallestUnit: 'second' });
const instant = (local: string, zone: string): string =>
  instantOf(local, zone).toISOString().replace('.000Z', 'Z');

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe', // its clocks change by half an hour
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Casablanca',
  'Pacific/Chatham',
];

it.each(ZONES)('a class on Mondays at 06:30 in %s keeps its local time for two years', (zone) => {
  const recurrence = { startsAt: '2026-11-23T06:30', rrule: 'FREQ=WEEKLY;BYDAY=MO' };
  const from = new Date('2026-11-23T00:00:00Z');
  const starts = localStarts(
    recurrence,
    zone,
    new Date(from.getTime() - 86_400_000),
    new Date('2028-11-24T00:00:00Z'),
  );
  let monday = Temporal.PlainDateTime.from('2026-11-23T06:30');
  const mondays: string[] = [];
  while (Temporal.PlainDate.compare(monday.toPlainDate(), '2028-11-23') <= 0) {
    mondays.push(monday.toString({ smallestUnit: 'minute' }));
    monday = monday.add({ weeks: 1 });
  }
  expect(starts).toEqual(mondays);
  expect(starts.map((local) => instant(local, zone))).toEqual(mondays.map((local) => expected(local, zone)));
});

it.each([
  ['Europe/Berlin', '2027-03-28T02:30', '2027-03-28T01:30:00Z'],
  ['Europe/Berlin', '2027-10-31T02:30', '2027-10-31T00:30:00Z'],
  ['America/New_York', '2027-03-14T02:30', '2027-03-14T07:30:00Z'],
  ['America/New_York', '2027-11-07T01:30', '2027-11-07T05:30:00Z'],
  ['Australia/Lord_Howe', '2027-10-03T02:15', '2027-10-02T15:45:00Z'],
  ['Australia/Lord_Howe', '2027-04-04T01:45', '2027-04-03T14:45:00Z'],
])('in %s, %s is %s: the offset before a gap, and the first of two equal times', (zone, local, utc) => {
  expect(instant(local, zone)).toBe(utc);
  expect(expected(local, zone)).toBe(utc);
});

/**
 * The local times at which the clocks of a zone change from 2026 to 2029; for a zone without changes, an arbitrary
 * time.
 */
function changesOf(zone: string): Temporal.PlainDateTime[] {
  const changes: Temporal.PlainDateTime[] = [];
  let at = Temporal.ZonedDateTime.from(`2026-01-01T00:00[${zone}]`);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (!next || next.year > 2029) break;
    changes.push(next.toPlainDateTime());
    at = next;
  }
  return changes.length > 0 ? changes : [Temporal.PlainDateTime.from('2026-06-01T00:00')];
}

it('random minutes around the changes of the clocks of all zones are the same instants as in another calendar library', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  fc.assert(
    fc.property(zone, fc.nat(), fc.integer({ min: -200, max: 200 }), (name, which, minutes) => {
      const changes = changesOf(name);
      const change = changes[which % changes.length] as Temporal.PlainDateTime;
      const local = change.add({ minutes }).toString({ smallestUnit: 'minute' });
      expect(instant(local, name)).toBe(expected(local, name));
    }),
    { numRuns: Number(process.env.LOCAL_TIMES ?? 2_000) },
  );
});

it('a start that does not exist on the day of a change of the clocks is moved on this day only', () => {
  const daily = { startsAt: '2027-03-26T02:30', rrule: 'FREQ=DAILY' };
  const starts = localStarts(
    daily,
    'Europe/Berlin',
    new Date('2027-03-26T00:00:00Z'),
    new Date('2027-03-31T00:00:00Z'),
  );
  expect(starts.map((local) => instant(local, 'Europe/Berlin'))).toEqual([
    '2027-03-26T01:30:00Z',
    '2027-03-27T01:30:00Z',
    '2027-03-28T01:30:00Z', // 03:30 in summer time, because 02:30 does not exist
    '2027-03-29T00:30:00Z',
    '2027-03-30T00:30:00Z',
  ]);
});

it.each([
  ['UNTIL=20261207T053000Z', '2026-12-07T06:30'], // 06:30 in Berlin
  ['UNTIL=20261207T052959Z', '2026-11-30T06:30'],
  ['UNTIL=20261207', '2026-12-07T06:30'],
  ['UNTIL=20261207T063000', '2026-12-07T06:30'],
  ['COUNT=2', '2026-11-30T06:30'],
])('a rule with %s ends with the start at %s', (end, last) => {
  const recurrence = { startsAt: '2026-11-23T06:30', rrule: `FREQ=WEEKLY;BYDAY=MO;${end}` };
  checkRule(recurrence, 'Europe/Berlin');
  const starts = localStarts(recurrence, 'Europe/Berlin', new Date('2026-11-01'), new Date('2027-11-01'));
  expect(starts.at(-1)).toBe(last);
});

it.each([
  'FREQ=HOURLY',
  'FREQ=MINUTELY;COUNT=3',
  'BYDAY=MO',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=WEEKLY;BYMONTHDAY=3',
  'FREQ=WEEKLY;COUNT=0',
  'FREQ=WEEKLY;COUNT=2;UNTIL=20270101',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;BYHOUR=24',
  'FREQ=DAILY;BYHOUR=1,2,3,4,5;BYMINUTE=0,10,20,30,40',
  'FREQ=DAILY;BYSECOND=1',
  'FREQ=DAILY;UNTIL=tomorrow',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;X=1',
  'FREQ=DAILY;;',
  'DTSTART:20260101T000000\nFREQ=DAILY',
])('the rule %s is refused', (rrule) => {
  expect(() => checkRule({ startsAt: '2026-11-23T06:30', rrule }, 'UTC')).toThrow(/recurrence\.rrule: /);
});

it.each([
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=2',
])('a rule without any start (%s) is evaluated within a second', (rrule) => {
  const begunAt = performance.now();
  const recurrence = { startsAt: '2026-11-23T06:30', rrule };
  checkRule(recurrence, 'UTC');
  expect(localStarts(recurrence, 'UTC', new Date(), new Date(Date.now() + 730 * 86_400_000))).toEqual([]);
  expect(performance.now() - begunAt).toBeLessThan(withinOnThisMachine(1_000));
});
