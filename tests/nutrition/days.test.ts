import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

interface Entry {
  id: string;
  localDate: string;
  calories: number;
  protein: number;
  carbs: number;
  fats: number;
}
const NUTRIENTS = ['calories', 'protein', 'carbs', 'fats'] as const;
// The energy follows from the grams of the nutrients (Atwater factors), so that every entry is plausible.
const food = fc
  .record({ protein: grams(), carbs: grams(), fats: grams(), alcohol: fc.integer({ min: 0, max: 300 }) })
  .map(({ alcohol, ...macros }) => ({
    ...macros,
    calories: Math.round(4 * macros.protein + 4 * macros.carbs + 9 * macros.fats) + alcohol,
  }));
function grams() {
  return fc.integer({ min: 0, max: 30_000 }).map((centigrams) => centigrams / 100);
}
// Times around the night of 28 to 29 March 2026, when the clocks of Berlin change from +01:00 to +02:00.
const instant = fc
  .integer({ min: 0, max: 5 * 24 * 60 })
  .map((minutes) => new Date(Date.UTC(2026, 2, 27) + minutes * 60_000).toISOString());
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('log' as const), food, loggedAt: instant }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), which: fc.nat(), food }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move' as const), which: fc.nat(), loggedAt: instant }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('meal' as const),
      foods: fc.array(food, { minLength: 1, maxLength: 4 }),
      loggedAt: instant,
    }),
  },
);
const berlinDay = (time: string) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date(time));

test('totals and series equal the sum of the entries after any changes, also around a change of clocks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
      const { token, id } = await platform.register();
      const call = (method: string, path: string, body?: unknown) =>
        platform.rest('nutrition', method, path, { token, ...(body !== undefined && { body }) });
      const timezone = 'Europe/Berlin';
      let entries: Entry[] = [];
      const days: [string, string][] = [];
      for (const step of actions) {
        if (step.kind === 'log') {
          const { body } = await call('POST', '/log', {
            foodName: 'x',
            ...step.food,
            loggedAt: step.loggedAt,
            timezone,
          });
          entries.push(body);
          days.push([body.localDate, berlinDay(step.loggedAt)]);
        } else if (step.kind === 'meal') {
          entries.push(
            ...(
              await call('POST', '/log', {
                entries: step.foods.map((one) => ({ foodName: 'x', ...one })),
                loggedAt: step.loggedAt,
                timezone,
              })
            ).body.entries,
          );
        } else if (entries.length > 0) {
          const chosen = entries[step.which % entries.length] as Entry;
          entries = entries.filter((entry) => entry !== chosen);
          if (step.kind === 'delete') await call('DELETE', `/log/${chosen.id}`);
          else
            entries.push(
              (
                await call(
                  'PUT',
                  `/log/${chosen.id}`,
                  step.kind === 'edit' ? step.food : { loggedAt: step.loggedAt, timezone },
                )
              ).body,
            );
        }
      }
      for (const [stored, expected] of days) expect(stored).toBe(expected);
      const range = 'from=2026-03-26&to=2026-04-02';
      const { body: daily } = await call('GET', `/history/${id}/daily?${range}`);
      const { body: series } = await call('GET', `/history/${id}/series?${range}&bucket=month`);
      for (const day of daily.days) {
        const own = entries.filter((entry) => entry.localDate === day.date);
        expect(day.entries).toHaveLength(own.length);
        for (const nutrient of NUTRIENTS)
          expect(day.totals[nutrient]).toBeCloseTo(
            own.reduce((sum, entry) => sum + entry[nutrient], 0),
            6,
          );
      }
      for (const nutrient of NUTRIENTS) {
        const total = series.reduce(
          (sum: number, point: { totals: Record<string, number> }) => sum + (point.totals[nutrient] ?? 0),
          0,
        );
        expect(total).toBeCloseTo(
          entries.reduce((sum, entry) => sum + entry[nutrient], 0),
          6,
        );
      }
      expect(series.reduce((sum: number, point: { entries: number }) => sum + point.entries, 0)).toBe(
        entries.length,
      );
    }),
    { numRuns: 12 },
  );
});

test('the sums of a day contain all of several simultaneous changes', async () => {
  const { token } = await platform.register();
  const log = (calories: number) =>
    platform.rest('nutrition', 'POST', '/log', {
      token,
      body: { foodName: 'x', calories, localDate: '2026-05-01' },
    });
  const logged = await Promise.all(Array.from({ length: 20 }, (_unused, index) => log(index + 1)));
  await Promise.all([
    ...logged
      .slice(0, 10)
      .map(({ body }) => platform.rest('nutrition', 'DELETE', `/log/${body.id}`, { token })),
    ...logged
      .slice(10)
      .map(({ body }) =>
        platform.rest('nutrition', 'PUT', `/log/${body.id}`, { token, body: { calories: 100 } }),
      ),
  ]);
  const { body } = await platform.rest(
    'nutrition',
    'GET',
    '/history/me/daily?from=2026-05-01&to=2026-05-01',
    { token },
  );
  expect(body.days[0].totals.calories).toBe(1_000);
});

test("an entry counts for the day in the user's own time zone if the request has none", async () => {
  const { token } = await platform.register();
  await platform.rest('identity', 'PUT', '/profile', { token, body: { timezone: 'Pacific/Auckland' } });
  const logged = await platform.rest('nutrition', 'POST', '/log', {
    token,
    body: { foodName: 'x', calories: 1, loggedAt: '2026-06-30T13:00:00Z' },
  });
  expect(logged.body.localDate).toBe('2026-07-01');
});

test('a change of the time zone in the profile applies to the next entry', async () => {
  const { token } = await platform.register();
  const logged = async () =>
    (
      await platform.rest('nutrition', 'POST', '/log', {
        token,
        body: { foodName: 'x', calories: 1, loggedAt: '2026-06-30T13:00:00Z' },
      })
    ).body.localDate;
  for (const [timezone, day] of [
    ['Pacific/Auckland', '2026-07-01'],
    ['Europe/Berlin', '2026-06-30'],
    ['Pacific/Auckland', '2026-07-01'],
  ]) {
    await platform.rest('identity', 'PUT', '/profile', { token, body: { timezone } });
    expect(await logged()).toBe(day);
  }
});

test('the default day is today in the time zone of the request, else of the representation, else of the profile', async () => {
  const { token, id } = await platform.register();
  await platform.rest('identity', 'PUT', '/profile', { token, body: { timezone: 'Pacific/Niue' } }); // UTC-11
  const today = (zone: string) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(new Date());
  const dayOf = async (sent: object, argument = '') => {
    const { data, errors } = await platform.graph(
      'nutrition',
      `query($all: [_Any!]!) { _entities(representations: $all) { ... on User { nutritionDay${argument} { date } } } }`,
      { all: [{ __typename: 'User', id, ...sent }] },
      { token },
    );
    return data._entities[0].nutritionDay?.date ?? errors?.[0]?.extensions?.code;
  };
  // Kiritimati is 25 hours ahead of Niue, so the day is never the same in both.
  const kiritimati = 'Pacific/Kiritimati';
  /** The day may change during a request. */
  const expectDay = async (zone: string, sent: object, argument?: string) => {
    const before = today(zone);
    const day = await dayOf(sent, argument);
    expect([before, today(zone)]).toContain(day);
  };
  await expectDay('Pacific/Niue', {});
  expect(await dayOf({})).not.toBe(await dayOf({ timezone: kiritimati }));
  await expectDay(kiritimati, { timezone: kiritimati });
  await expectDay('Pacific/Niue', { timezone: kiritimati }, '(timezone: "Pacific/Niue")');
  for (const timezone of ['Nowhere/Atall', 7, {}, '+01:00'])
    expect(await dayOf({ timezone })).toBe('VALIDATION_FAILED');
});

test('days are summed up over weeks and months, and a day of 23 hours is one day', async () => {
  const { token, id } = await platform.register();
  for (const [localDate, calories] of [
    ['2026-03-28', 100],
    ['2026-03-29', 200],
    ['2026-03-30', 400],
  ] as const)
    await platform.rest('nutrition', 'POST', '/log', {
      token,
      body: { foodName: 'x', calories, localDate, timezone: 'Europe/Berlin' },
    });
  const weeks = await platform.rest(
    'nutrition',
    'GET',
    `/history/${id}/series?from=2026-03-23&to=2026-04-05&bucket=week`,
    { token },
  );
  expect(weeks.body).toMatchObject([
    {
      start: '2026-03-23',
      end: '2026-03-29',
      totals: { calories: 300 },
      averages: { calories: 150 },
      loggedDays: 2,
    },
    { start: '2026-03-30', end: '2026-04-05', totals: { calories: 400 } },
  ]);
  const graph = await platform.graph(
    'nutrition',
    'query($id: ID!) { _entities(representations: [{ __typename: "User", id: $id }]) { ... on User { nutritionSeries(from: "2026-03-28", to: "2026-03-30", bucket: MONTH) { start totals { calories } } nutritionDay(date: "2026-03-29") { totals { calories } entries { foodName } } } } }',
    { id },
    { token },
  );
  expect(graph.data._entities[0]).toEqual({
    nutritionSeries: [{ start: '2026-03-28', totals: { calories: 700 } }],
    nutritionDay: { totals: { calories: 200 }, entries: [{ foodName: 'x' }] },
  });
});

test.each(['from=2026-01-02&to=2026-01-01', 'from=2020-01-01&to=2026-01-01', 'from=soon'])(
  'an invalid range of days is refused: %s',
  async (query) => {
    const token = await platform.demo('leo@iron.test');
    expect((await platform.rest('nutrition', 'GET', `/history/me/daily?${query}`, { token })).status).toBe(
      400,
    );
  },
);

test('the chart is an SVG with a goal line and no script, in a light and a dark colour scheme', async () => {
  const token = await platform.demo('maya@iron.test');
  const { status, headers, body } = await platform.rest('nutrition', 'GET', '/history/me/chart.svg', {
    token,
  });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  expect(body).toMatch(/^<svg /);
  expect(body).toContain('prefers-color-scheme:dark');
  expect(body).toContain('goal 2 100');
  expect(body).not.toMatch(/<script|NaN|undefined|Infinity/);
  const empty = await platform.register();
  const nothing = await platform.rest(
    'nutrition',
    'GET',
    '/history/me/chart.svg?metric=protein&bucket=week',
    { token: empty.token },
  );
  expect(nothing.body).toContain('Nothing was logged.');
  expect(nothing.body).not.toMatch(/NaN|undefined|Infinity/);
});
