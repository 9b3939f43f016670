import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

type Member = Awaited<ReturnType<TestPlatform['register']>>;
const rest = (member: Pick<Member, 'token'>, method: string, path: string, body?: object) =>
  platform.rest('nutrition', method, path, { token: member.token, ...(body && { body }) });
const graph = (member: Member, query: string) =>
  platform.graph('nutrition', query, {}, { token: member.token });
const goalsBetween = async (member: Member, from: string, to: string): Promise<(number | null)[]> =>
  (await rest(member, 'GET', `/history/me/daily?from=${from}&to=${to}`)).body.days.map(
    (day: { goal: { calories: number } | null }) => day.goal?.calories ?? null,
  );
/** The date some days before today, in UTC, which is the time zone of a new member. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe('goals are valid from a day on', () => {
  test('a new default does not change the goals of earlier days, in days, series, chart and graph', async () => {
    const member = await platform.register();
    await rest(member, 'PUT', '/goals', { calories: 2_000, protein: 100, from: daysAgo(10) });
    await rest(member, 'POST', '/log', { foodName: 'Oats', calories: 300, localDate: daysAgo(7) });
    const set = await rest(member, 'PUT', '/goals', { calories: 2_600 });
    expect(set).toMatchObject({ status: 200, body: { calories: 2_600, from: daysAgo(0), until: null } });
    expect(await goalsBetween(member, daysAgo(12), daysAgo(9))).toEqual([null, null, 2_000, 2_000]);
    expect(await goalsBetween(member, daysAgo(2), daysAgo(0))).toEqual([2_000, 2_000, 2_600]);
    const { body: series } = await rest(
      member,
      'GET',
      `/history/me/series?from=${daysAgo(1)}&to=${daysAgo(0)}`,
    );
    expect(series.map((point: { goal: object }) => point.goal)).toEqual([
      { calories: 2_000, protein: 100 },
      { calories: 2_600 },
    ]);
    const { body: chart } = await rest(
      member,
      'GET',
      `/history/me/chart.svg?from=${daysAgo(8)}&to=${daysAgo(1)}`,
    );
    expect(chart).toContain('goal 2 000');
    const { data } = await graph(
      member,
      `{ nutritionGoals { calories from until version } _entities(representations: [{ __typename: "User", id: "${member.id}" }]) { ... on User {
        past: nutritionDay(date: "${daysAgo(7)}") { goal { calories } remaining { calories } } now: nutritionGoal { calories } } } }`,
    );
    expect(data).toEqual({
      nutritionGoals: [
        { calories: 2_600, from: daysAgo(0), until: null, version: 2 },
        { calories: 2_000, from: daysAgo(10), until: daysAgo(1), version: 1 },
      ],
      _entities: [
        { past: { goal: { calories: 2_000 }, remaining: { calories: 1_700 } }, now: { calories: 2_600 } },
      ],
    });
  });

  test('a goal replaces the one with the same first day, and may begin in the future; a first day and a date together are refused', async () => {
    const member = await platform.register();
    for (const calories of [1_900, 2_000]) await rest(member, 'PUT', '/goals', { calories, weekday: 3 });
    expect((await rest(member, 'GET', '/goals')).body).toMatchObject([
      { calories: 2_000, weekday: 3, version: 2 },
    ]);
    await rest(member, 'PUT', '/goals', { calories: 1_500, from: daysAgo(-3) });
    expect(await goalsBetween(member, daysAgo(-2), daysAgo(-4))).toEqual(
      [-2, -3, -4].map((ago) => {
        const isWednesday = new Date(daysAgo(ago)).getUTCDay() === 3;
        return isWednesday ? 2_000 : ago === -2 ? null : 1_500;
      }),
    );
    for (const body of [
      { calories: 1_500, date: '2026-01-01', from: '2026-01-01' },
      { calories: 1_500, from: 'soon' },
    ])
      expect(await rest(member, 'PUT', '/goals', body)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'from' }] },
      });
    expect(await rest(member, 'DELETE', '/goals?date=2026-01-01&from=2026-01-01')).toMatchObject({
      status: 400,
    });
    const refused = await graph(
      member,
      'mutation { setNutritionGoal(input: { calories: 1500, date: "2026-01-01", from: "2026-01-01" }) { calories } }',
    );
    expect(refused.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    expect((await rest(member, 'PUT', '/goals', { calories: 1_400, date: '2026-01-01' })).body).toMatchObject(
      {
        from: null,
        until: null,
      },
    );
  });

  test('deleting a goal leaves earlier days unchanged', async () => {
    const member = await platform.register();
    await rest(member, 'PUT', '/goals', { calories: 2_000, from: daysAgo(5) });
    await rest(member, 'PUT', '/goals', { calories: 2_200, from: daysAgo(2) });
    expect((await graph(member, 'mutation { deleteNutritionGoal(input: {}) }')).data).toEqual({
      deleteNutritionGoal: true,
    });
    expect(await goalsBetween(member, daysAgo(3), daysAgo(0))).toEqual([2_000, 2_200, 2_200, null]);
    expect((await rest(member, 'GET', '/goals')).body).toMatchObject([
      { calories: 2_200, from: daysAgo(2), until: daysAgo(1) },
      { calories: 2_000, from: daysAgo(5), until: daysAgo(3) },
    ]);
    expect((await rest(member, 'DELETE', '/goals')).status).toBe(404);
    expect((await rest(member, 'DELETE', `/goals?from=${daysAgo(30)}`)).status).toBe(204);
    expect((await rest(member, 'GET', '/goals')).body).toEqual([]);
    expect(await goalsBetween(member, daysAgo(3), daysAgo(0))).toEqual([null, null, null, null]);
  });

  test('the expected version is that of the valid goal; of several writes with it only one succeeds', async () => {
    const member = await platform.register();
    await rest(member, 'PUT', '/goals', { calories: 2_000, from: daysAgo(5) });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_unused, index) =>
        rest(member, 'PUT', '/goals', { calories: 2_100 + index, version: 1 }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array(7).fill(412),
    ]);
    expect((await rest(member, 'GET', '/goals')).body).toMatchObject([
      { version: 2 },
      { calories: 2_000, version: 1 },
    ]);
  });
});

/** The number of generated sequences of changes; `GOAL_SEQUENCES=500` tests more. */
const SEQUENCES = Number(process.env.GOAL_SEQUENCES ?? 12);
const FIRST = Date.UTC(2026, 0, 1);
const dayAt = (index: number) => new Date(FIRST + index * 86_400_000).toISOString().slice(0, 10);

test('after any sequence of changes each day has the same goal as in a simple model, which stores a value for each day', async () => {
  const change = fc.record({
    action: fc.constantFrom('set', 'set', 'set', 'delete'),
    weekday: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    at: fc.integer({ min: 0, max: 20 }),
    dated: fc.nat(5).map((roll) => roll === 0),
    calories: fc.integer({ min: 1_000, max: 4_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 10 }), async (changes) => {
      const member = await platform.register();
      /** The model: the calories of each of 30 days, for goals of one date, of one weekday (1 to 7), and of all days (0). */
      const model = new Map<string, (number | null)[]>();
      const daysOf = (validity: string): (number | null)[] => {
        const days = model.get(validity) ?? Array<number | null>(30).fill(null);
        model.set(validity, days);
        return days;
      };
      for (const { action, weekday, at, dated, calories } of changes) {
        const place = dated ? { date: dayAt(at) } : { from: dayAt(at), ...(weekday && { weekday }) };
        const days = daysOf(dated ? 'date' : `weekday ${weekday ?? 0}`);
        const query = new URLSearchParams(
          Object.entries(place).map(([name, value]): [string, string] => [name, String(value)]),
        );
        const isSet = action === 'set';
        const { status } = isSet
          ? await rest(member, 'PUT', '/goals', { calories, ...place })
          : await rest(member, 'DELETE', `/goals?${query.toString()}`);
        const had = days.slice(at, dated ? at + 1 : 30).some((one) => one !== null);
        expect(status).toBe(isSet ? 200 : had ? 204 : 404);
        // A goal that begins later stays valid from its own first day on.
        const next = isSet ? firstDays.get(days)?.find((first) => first > at) : undefined;
        days.fill(isSet ? calories : null, at, dated ? at + 1 : (next ?? 30));
        if (isSet) addFirstDay(days, at);
        else if (had) {
          const earlier = (firstDays.get(days) ?? []).filter((first) => first < at);
          // The deletion ends an earlier goal on this day. As the first day of a later goal does, it also ends a goal
          // that is set afterwards and begins before this day. So this day is stored as a first day, too.
          firstDays.set(days, earlier.length > 0 ? [...earlier, at] : []);
        }
      }
      const expected = Array.from({ length: 30 }, (_unused, index) => {
        const weekday = new Date(FIRST + index * 86_400_000).getUTCDay() || 7;
        return (
          daysOf('date')[index] ?? daysOf(`weekday ${weekday}`)[index] ?? daysOf('weekday 0')[index] ?? null
        );
      });
      expect(await goalsBetween(member, dayAt(0), dayAt(29))).toEqual(expected);
    }),
    { numRuns: SEQUENCES },
  );
}, 600_000);

/** For each list of days of the model, the first days of its goals, in order. */
const firstDays = new WeakMap<object, number[]>();
function addFirstDay(days: object, at: number): void {
  firstDays.set(
    days,
    [...new Set([...(firstDays.get(days) ?? []), at])].toSorted((one, other) => one - other),
  );
}
