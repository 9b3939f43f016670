import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startPlatform, type TestAccount, type TestPlatform } from '../support/platform.ts';
import { cellsOf, hostileTexts } from '../support/texts-of-users.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

/** The number of generated food logs; `IMPORT_SEEDS=1000` tests more. */
const numRuns = Number(process.env.IMPORT_SEEDS ?? 5);

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const grams = optional(fc.constantFrom(0, 0.1, 12.345, 200));
const entry = fc.record({
  foodName: hostileTexts(60),
  unit: optional(hostileTexts(20)),
  quantity: optional(fc.constantFrom(0.25, 1, 1_000)),
  calories: fc.integer({ min: 0, max: 300 }),
  protein: grams,
  carbs: grams,
  fats: grams,
  mealType: optional(fc.constantFrom('BREAKFAST', 'LUNCH', 'DINNER', 'SNACK')),
  localDate: fc.constantFrom('2026-01-01', '2026-02-28'),
});

// oxlint-disable-next-line no-explicit-any -- the JSON of a route
type Json = any;
const logOf = async ({ token }: TestAccount) => {
  const { body } = await platform.rest('nutrition', 'GET', '/history/me?limit=200', { token });
  return body
    .map(({ foodName, unit, quantity, calories, protein, carbs, fats, mealType, localDate }: Json) =>
      JSON.stringify({ foodName, unit, quantity, calories, protein, carbs, fats, mealType, localDate }),
    )
    .toSorted();
};
const importCsv = async ({ token }: TestAccount, body: string) => {
  const headers = { 'Content-Type': 'text/csv' };
  const answer = await platform.rest('nutrition', 'POST', '/log/import', { token, body, headers });
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: [] });
  return answer.body;
};

test('an export can be imported whatever texts its entries contain, also by another account, and a second import adds nothing', () =>
  fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), async (entries) => {
      const [ana, ben] = [await platform.register(), await platform.register()];
      const logged = [];
      for (const body of entries)
        logged.push((await platform.rest('nutrition', 'POST', '/log', { token: ana.token, body })).status);
      const accepted = logged.filter((status) => status === 201).length;
      const before = await logOf(ana);
      expect(before).toHaveLength(accepted);
      const path = `/history/${ana.id}/export.csv`;
      const { body: csv } = await platform.rest('nutrition', 'GET', path, { token: ana.token });
      expect(await importCsv(ana, csv)).toMatchObject({ imported: 0, duplicates: accepted });
      expect(await importCsv(ben, csv)).toMatchObject({ imported: accepted, duplicates: 0 });
      expect(await logOf(ana)).toEqual(before);
      expect(await logOf(ben)).toEqual(before);
      expect(await importCsv(ben, csv)).toMatchObject({ imported: 0, duplicates: accepted });
      // No cell begins with a character that makes it a formula for a spreadsheet. The numbers of a log are never negative.
      expect(cellsOf(csv).filter((cell) => /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell))).toEqual([]);
    }),
    { numRuns, endOnFailure: Boolean(process.env.FAIL_FAST) },
  ));
