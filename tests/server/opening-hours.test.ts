import { describe, expect, it } from '@jest/globals';
import { isOpenAt, openingExceptions, openingHours, type Opening } from '#server/opening-hours.ts';
import { validated } from '#server/validate.ts';
import { randomFrom } from '../support/graph-doubles/random.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const MINUTE_MILLIS = 60_000;

const opening = (hours: object | null, exceptions: object[] = [], timezone = 'Europe/Berlin'): Opening => ({
  timezone,
  openingHours: hours && validated(openingHours, hours),
  openingExceptions: validated(openingExceptions, exceptions),
});

/** When the location opens and closes within a range: `opens` or `closes`, and the local time with its offset. */
function changes(of: Opening, from: string, to: string): string[] {
  const found: string[] = [];
  let before = isOpenAt(of, new Date(from));
  for (let at = Date.parse(from) + MINUTE_MILLIS; at <= Date.parse(to); at += MINUTE_MILLIS) {
    const isOpen = isOpenAt(of, new Date(at));
    if (isOpen !== before) found.push(`${isOpen ? 'opens' : 'closes'} ${localTime(at, of.timezone)}`);
    before = isOpen;
  }
  return found;
}

interface Formats {
  readonly time: Intl.DateTimeFormat;
  readonly offset: Intl.DateTimeFormat;
}
/** By time zone, because it takes long to create a format. */
const formatsOf = new Map<string, Formats>();

function localTime(at: number, timeZone: string): string {
  const formats = formatsOf.get(timeZone) ?? {
    time: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
    offset: new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }),
  };
  formatsOf.set(timeZone, formats);
  const offset = formats.offset.formatToParts(at).find(({ type }) => type === 'timeZoneName');
  return formats.time.format(at) + (offset?.value.slice(3) ?? '');
}

describe('opening hours', () => {
  it('are all day, every day, if they are null', () => {
    expect(isOpenAt(opening(null), new Date())).toBe(true);
  });

  it('are at no time if they name no day', () => {
    expect(changes(opening({}), '2026-11-02T00:00:00Z', '2026-11-09T00:00:00Z')).toEqual([]);
    expect(isOpenAt(opening({}), new Date())).toBe(false);
  });

  it('may have several intervals a day, and end on the next day, also at the end of the week', () => {
    const hours = {
      mon: [
        { opens: '06:30', closes: '12:00' },
        { opens: '16:00', closes: '24:00' },
      ],
      sun: [{ opens: '20:00', closes: '02:00' }],
    };
    expect(changes(opening(hours), '2026-11-01T12:00:00Z', '2026-11-08T22:00:00Z')).toEqual([
      'opens 2026-11-01 20:00+01:00',
      'closes 2026-11-02 02:00+01:00',
      'opens 2026-11-02 06:30+01:00',
      'closes 2026-11-02 12:00+01:00',
      'opens 2026-11-02 16:00+01:00',
      'closes 2026-11-03 00:00+01:00',
      'opens 2026-11-08 20:00+01:00',
    ]);
  });

  it('may last a whole day, also until the same time of the next day', () => {
    const day = opening({ mon: [{ opens: '00:00', closes: '24:00' }] });
    const night = opening({ mon: [{ opens: '18:00', closes: '18:00' }] });
    const range = ['2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z'] as const;
    expect(changes(day, ...range)).toEqual(['opens 2026-11-02 00:00+01:00', 'closes 2026-11-03 00:00+01:00']);
    expect(changes(night, ...range)).toEqual([
      'opens 2026-11-02 18:00+01:00',
      'closes 2026-11-03 18:00+01:00',
    ]);
  });

  it('are replaced by an exception, which does not end an interval that began on the day before', () => {
    const hours = Object.fromEntries(DAYS.map((name) => [name, [{ opens: '18:00', closes: '02:00' }]]));
    const exceptions = [
      { date: '2026-12-24', intervals: [{ opens: '08:00', closes: '14:00' }] },
      { date: '2026-12-25', closed: true },
    ];
    const range = ['2026-12-23T12:00:00Z', '2026-12-26T20:00:00Z'] as const;
    expect(changes(opening(hours, exceptions), ...range)).toEqual([
      'opens 2026-12-23 18:00+01:00',
      'closes 2026-12-24 02:00+01:00',
      'opens 2026-12-24 08:00+01:00',
      'closes 2026-12-24 14:00+01:00',
      'opens 2026-12-26 18:00+01:00',
    ]);
    expect(changes(opening(null, exceptions), ...range)).toEqual([
      'closes 2026-12-24 00:00+01:00',
      'opens 2026-12-24 08:00+01:00',
      'closes 2026-12-24 14:00+01:00',
      'opens 2026-12-26 00:00+01:00',
    ]);
  });
});

describe('opening hours on a day on which clocks change', () => {
  // Europe/Berlin: 2026-03-29, 02:00 becomes 03:00; 2026-10-25, 03:00 becomes 02:00. A time that is skipped in spring means
  // the time an hour later; a time that comes twice in autumn means the first one.
  const sunday = (opens: string, closes: string, zone?: string) =>
    opening({ sun: [{ opens, closes }] }, [], zone);
  const inSpring = ['2026-03-28T22:00:00Z', '2026-03-29T23:30:00Z'] as const;
  const inAutumn = ['2026-10-24T21:30:00Z', '2026-10-25T23:30:00Z'] as const;

  it.each([
    ['06:30', '22:00', ['opens 2026-03-29 06:30+02:00', 'closes 2026-03-29 22:00+02:00']],
    ['00:00', '24:00', ['opens 2026-03-29 00:00+01:00', 'closes 2026-03-30 00:00+02:00']],
    ['02:30', '05:00', ['opens 2026-03-29 03:30+02:00', 'closes 2026-03-29 05:00+02:00']],
    ['01:00', '02:30', ['opens 2026-03-29 01:00+01:00', 'closes 2026-03-29 03:30+02:00']],
  ])('in spring, from %s to %s: %j', (opens, closes, expected) => {
    expect(changes(sunday(opens, closes), ...inSpring)).toEqual(expected);
  });

  it.each([
    ['06:30', '22:00', ['opens 2026-10-25 06:30+01:00', 'closes 2026-10-25 22:00+01:00']],
    ['00:00', '24:00', ['opens 2026-10-25 00:00+02:00', 'closes 2026-10-26 00:00+01:00']],
    ['02:30', '05:00', ['opens 2026-10-25 02:30+02:00', 'closes 2026-10-25 05:00+01:00']],
    ['01:00', '02:30', ['opens 2026-10-25 01:00+02:00', 'closes 2026-10-25 02:30+02:00']],
  ])('in autumn, from %s to %s: %j', (opens, closes, expected) => {
    expect(changes(sunday(opens, closes), ...inAutumn)).toEqual(expected);
  });

  it('are right where the clocks change by half an hour', () => {
    // Australia/Lord_Howe: 2026-10-04, 02:00 becomes 02:30.
    expect(
      changes(
        sunday('02:15', '06:00', 'Australia/Lord_Howe'),
        '2026-10-03T12:00:00Z',
        '2026-10-04T12:00:00Z',
      ),
    ).toEqual(['opens 2026-10-04 02:45+11:00', 'closes 2026-10-04 06:00+11:00']);
  });
});

describe('opening hours without a change of clocks', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are compared with the local time of the zone (seed %s)', (seed) => {
    const random = randomFrom(`opening hours ${seed}`);
    const zone = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Kiritimati'][seed % 4];
    const time = () => {
      const minute = random.below(96) * 15;
      return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    };
    const hours: Record<string, { opens: string; closes: string }[]> = {};
    for (const name of DAYS) {
      const [opens, closes] = [time(), time()].toSorted() as [string, string];
      if (opens !== closes && random.chance(0.8)) hours[name] = [{ opens, closes }];
    }
    const of = opening(hours, [], zone ?? 'UTC');
    for (
      let at = Date.parse('2026-06-01T00:00:00Z');
      at < Date.parse('2026-06-15T00:00:00Z');
      at += 15 * MINUTE_MILLIS
    ) {
      const local = localTime(at, of.timezone);
      const [date = '', wall = ''] = local.split(' ');
      const name = DAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] ?? 'mon';
      const expected = (hours[name] ?? []).some(
        ({ opens, closes }) => opens <= wall.slice(0, 5) && wall.slice(0, 5) < closes,
      );
      expect([local, isOpenAt(of, new Date(at))]).toEqual([local, expected]);
    }
  });
});

describe('opening hours are refused', () => {
  const day = (...intervals: [string, string][]) => intervals.map(([opens, closes]) => ({ opens, closes }));
  it.each([
    { mon: day(['06:00', '12:00'], ['11:59', '13:00']) },
    { mon: day(['06:00', '12:00'], ['06:00', '12:00']) },
    { mon: day(['22:00', '06:00']), tue: day(['05:00', '12:00']) },
    { sun: day(['22:00', '06:00']), mon: day(['05:00', '12:00']) },
    { mon: day(['00:00', '00:00'], ['12:00', '13:00']) },
    { mon: day(['24:00', '06:00']) },
    { mon: day(['6:00', '07:00']) },
    { monday: day(['06:00', '07:00']) },
    { mon: 'always' },
  ])('for %j', (hours) => {
    expect(() => opening(hours)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  it.each([
    [[{ date: '2026-12-24' }]],
    [[{ date: '2026-12-24', closed: true, intervals: day(['06:00', '07:00']) }]],
    [[{ date: '2026-12-24', intervals: [] }]],
    [[{ date: '24.12.2026', closed: true }]],
    [[{ date: '2026-02-30', closed: true }]],
    [
      [
        { date: '2026-12-24', closed: true },
        { date: '2026-12-24', closed: true },
      ],
    ],
    [[{ date: '2026-12-24', intervals: day(['06:00', '12:00'], ['11:00', '13:00']) }]],
    [
      [
        { date: '2026-12-25', intervals: day(['01:00', '12:00']) },
        { date: '2026-12-24', intervals: day(['22:00', '02:00']) },
      ],
    ],
  ])('for the exceptions %j', (exceptions) => {
    expect(() => opening(null, exceptions)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  it('but not for intervals that only touch, nor for the form of earlier clients', () => {
    expect(opening({ mon: day(['06:00', '12:00'], ['12:00', '13:00']) }).openingHours?.mon).toHaveLength(2);
    expect(opening({ mon: { opens: '06:30', closes: '22:00' } }).openingHours).toEqual({
      mon: [{ opens: '06:30', closes: '22:00' }],
    });
  });
});
