import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'nutrition'] });
});
afterAll(() => platform.stop());

const importFile = (token: string, file: string | Buffer, query = '') =>
  platform.rest('nutrition', 'POST', `/log/import${query}`, {
    token,
    body: file,
    headers: { 'Content-Type': 'text/csv' },
  });
/** The number of generated files; `IMPORT_FILES=1000` tests more. */
const FILES = Number(process.env.IMPORT_FILES ?? 25);

const name = fc.oneof(
  fc.constantFrom(
    'Rice',
    'Rice, white',
    'Crème "brûlée"',
    'Käse; Brot',
    "'=1+1",
    'Soup\nof the day',
    'Ĳssel 🍲',
    '6" sub',
  ),
  fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== '' && !text.includes('\0')),
);
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const files = fc
  .record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    rows: fc.array(
      fc.record({
        day: fc.integer({ min: 0, max: 900 }),
        name,
        calories: fc.integer({ min: 40, max: 900 }),
        protein: fc.nat(9),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  })
  .map(({ delimiter, end, rows }) => ({
    rows: rows.length,
    lines: [
      ['localDate', 'foodName', 'calories', 'protein'].join(delimiter),
      ...rows.map((row) =>
        [
          new Date(Date.UTC(2022, 0, 1 + row.day)).toISOString().slice(0, 10),
          quoted(row.name),
          row.calories,
          row.protein,
        ].join(delimiter),
      ),
    ],
    end,
  }));
/** A change of the bytes of a file. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('none' as const) }),
  fc.record({
    kind: fc.constant('insert' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.constantFrom(
      [0x22],
      [0],
      [0xff],
      [0xc3, 0x28],
      [0x0a],
      [0x0d],
      [0xed, 0xa0, 0x80],
      [0x2c],
      [0x3b],
      [0x22, 0x0a],
      [0x22, 0x22, 0x22],
    ),
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(12),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    kind: fc.constant('huge' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.constantFrom(300, 20_000, 200_000),
  }),
);
const damaged = (bytes: Buffer, one: typeof damage extends fc.Arbitrary<infer D> ? D : never): Buffer => {
  if (one.kind === 'none') return bytes;
  const at = Math.floor(one.at * bytes.length);
  if (one.kind === 'cut') return bytes.subarray(0, at);
  if (one.kind === 'remove') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + one.length)]);
  const inserted = one.kind === 'insert' ? Buffer.from(one.bytes) : Buffer.alloc(one.length, 'x');
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};
const encoding = fc.constantFrom('utf8', 'utf16le', 'latin1', 'bom') satisfies fc.Arbitrary<string>;
const encoded = (text: string, as: 'utf8' | 'utf16le' | 'latin1' | 'bom'): Buffer =>
  as === 'bom'
    ? Buffer.from(`\uFEFF${text}`)
    : as === 'utf16le'
      ? Buffer.from(`\uFEFF${text}`, 'utf16le')
      : Buffer.from(text, as);

interface Report {
  status: string;
  lines: number;
  imported: number;
  duplicates: number;
  failed: number;
  errors: { line: number; message: string }[];
  errorsOmitted: number;
}
const NOTHING_READ: Report = {
  status: 'DONE',
  lines: 0,
  imported: 0,
  duplicates: 0,
  failed: 0,
  errors: [],
  errorsOmitted: 0,
};

/** The contradictions inside a report, as texts. */
const contradictions = (report: Report): string[] => {
  const named = new Set(report.errors.map(({ line }) => line));
  return [
    report.imported + report.duplicates + report.failed === report.lines ? '' : 'the sums differ',
    report.errorsOmitted > 0 || named.size === report.failed ? '' : 'a failed line is not named',
    report.errors.every(({ message }) => message.length > 5) ? '' : 'an error has no reason',
    report.status === 'DONE' ? '' : `the status is ${report.status}`,
  ].filter(Boolean);
};

test('of a damaged file every line is counted, nothing is stored twice, and no answer is a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(files, encoding, fc.array(damage, { maxLength: 4 }), async (file, as, damages) => {
      const { token, id } = await platform.register();
      const whole = encoded(file.lines.join(file.end) + file.end, as);
      const bytes = damages.reduce(damaged, whole);
      const stored = async () =>
        (
          await platform.sql('nutrition', 'select count(*)::int as n from food_log where user_id = $1', [id])
        )[0].n;
      const first = await importFile(token, bytes, `?importId=${randomUUID()}`);
      expect([200, 400]).toContain(first.status);
      // A file without a usable header is refused as a whole.
      const report: Report = first.status === 200 ? first.body : NOTHING_READ;
      expect(contradictions(report)).toEqual([]);
      expect(await stored()).toBe(report.imported);
      // A file without damage is imported completely, except in Latin-1, which lacks some of its characters.
      const isWhole = damages.every(({ kind }) => kind === 'none') && as !== 'latin1';
      expect([report.lines, report.failed]).toEqual(isWhole ? [file.rows, 0] : [report.lines, report.failed]);
      const again = await importFile(token, bytes);
      expect(again.status).toBe(first.status);
      expect(again.body.imported ?? 0).toBe(0);
      expect(again.body.duplicates ?? 0).toBe(report.imported);
      expect(await stored()).toBe(report.imported);
    }),
    { numRuns: FILES },
  );
}, 3_600_000);

test('one damaged line makes no other line fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 29 }),
      fc.constantFrom('"', '""', '"x', 'x"', '\0', '\uFFFE"', '"""', ',', ';;"', '"\t', '","', '",', ',"'),
      fc.integer({ min: 0, max: 22 }),
      async (which, piece, column) => {
        const { token } = await platform.register();
        const lines = Array.from({ length: 30 }, (_unused, index) =>
          index % 2
            ? `2026-01-${String(index + 1).padStart(2, '0')},"Soup, ""hot"" ${index}",${100 + index}`
            : `2026-01-${String(index + 1).padStart(2, '0')},Bread ${index},${100 + index}`,
        );
        const line = lines[which] ?? '';
        lines[which] = line.slice(0, column) + piece + line.slice(column);
        const { status, body } = await importFile(
          token,
          `localDate,foodName,calories\n${lines.join('\n')}\n`,
        );
        expect(status).toBe(200);
        expect(contradictions(body)).toEqual([]);
        expect(body.lines).toBe(30);
        expect(body.failed).toBeLessThanOrEqual(1);
        expect(body.errors.filter(({ line: at }: { line: number }) => at !== which + 2)).toEqual([]);
      },
    ),
    { numRuns: FILES * 2 },
  );
}, 3_600_000);
