import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { day, instant } from '#server/shapes.ts';
import { feed } from '#server/streams.ts';
import { MEAL_TYPES } from '../food-logs/food-logs.shapes.ts';
import type { LineError } from './imports.shapes.ts';

/** The columns of a food log as CSV, in the order of an export. An import may leave out what may be empty. */
export const CSV_COLUMNS = [
  'id',
  'localDate',
  'loggedAt',
  'mealType',
  'foodName',
  'quantity',
  'unit',
  'grams',
  'calories',
  'protein',
  'carbs',
  'fats',
] as const;

export const MOST_LINES = 100_000;
const MOST_BYTES = 25 * 1024 * 1024; // 25 MiB
const LONGEST_LINE = 16_384; // characters

const empty = (text: string) => text.trim() === '';
const optional = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess(
    (value) => (typeof value !== 'string' || empty(value) ? null : value.trim()),
    shape.nullable(),
  );
const number = (most: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && !empty(value) ? Number(value.trim()) : value),
    z.number('expected a number').min(0).max(most),
  );

const LineShape = z
  .object({
    id: optional(z.uuid()),
    localDate: optional(day),
    loggedAt: optional(instant),
    mealType: optional(
      z
        .string()
        .transform((text) => text.toUpperCase())
        .pipe(z.enum(MEAL_TYPES, `expected one of ${MEAL_TYPES.join(', ')}`)),
    ),
    // An apostrophe before what a spreadsheet would take for a formula is no part of the name.
    foodName: z.preprocess(
      (value) => (typeof value === 'string' ? value.trim().replace(/^'(?=[=+\-@])/, '') : value),
      z.string('expected a name').min(1, 'expected a name').max(200),
    ),
    quantity: optional(number(100_000)),
    unit: optional(z.string().max(40)),
    grams: optional(number(100_000)),
    calories: number(20_000).transform(Math.round),
    protein: optional(number(5_000)),
    carbs: optional(number(5_000)),
    fats: optional(number(5_000)),
  })
  .refine(({ localDate, loggedAt }) => localDate !== null || loggedAt !== null, {
    path: ['loggedAt'],
    message: 'expected loggedAt or localDate, got neither',
  });
export type CsvLine = z.infer<typeof LineShape>;

export type ReadLine = { line: number; entry: CsvLine; key: string } | { line: number; errors: LineError[] };

/**
 * Reads a CSV file line by line, in bounded memory. Each line comes with a key: the hash of what it says and how often
 * the file has said so before, so that the same file again gives the same keys and two equal coffees stay two.
 * @throws VALIDATION_FAILED without a usable header, PAYLOAD_TOO_LARGE beyond 25 MiB or 100,000 lines.
 */
export async function* readCsvLines(stream: Readable): AsyncGenerator<ReadLine> {
  const seen = new Map<string, number>();
  const skipped: ReadLine[] = [];
  let lines = 0;
  let hasHeader = false;
  const parser = parse({
    columns: (header: string[]) => {
      hasHeader = true;
      return headerOf(header);
    },
    info: true,
    bom: true,
    trim: false,
    skip_empty_lines: true,
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: LONGEST_LINE,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error)
        skipped.push({
          line: (error as { lines?: number }).lines ?? 0,
          errors: [
            {
              line: (error as { lines?: number }).lines ?? 0,
              column: null,
              message: 'the line is not well-formed CSV',
            },
          ],
        });
    },
  });
  let bytes = 0;
  stream.on('data', (chunk: Buffer | string) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      parser.destroy(
        new PlatformError(
          'PAYLOAD_TOO_LARGE',
          `A file may have at most ${MOST_BYTES / 1024 / 1024} MiB; send it in parts.`,
        ),
      );
  });
  const stop = feed(stream, parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      while (skipped.length > 0) yield skipped.shift() as ReadLine;
      lines += 1;
      if (lines > MOST_LINES)
        throw new PlatformError(
          'PAYLOAD_TOO_LARGE',
          `A file may have at most ${MOST_LINES} lines; send it in parts.`,
        );
      const parsed = LineShape.safeParse(record);
      if (!parsed.success) {
        yield {
          line: info.lines,
          errors: parsed.error.issues.map((issue) => ({
            line: info.lines,
            column: issue.path[0] === undefined ? null : String(issue.path[0]),
            message: issue.message,
          })),
        };
        continue;
      }
      const { id: _id, ...content } = parsed.data;
      const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 32);
      const occurrence = (seen.get(hash) ?? 0) + 1;
      seen.set(hash, occurrence);
      yield { line: info.lines, entry: parsed.data, key: `${hash}:${occurrence}` };
    }
    while (skipped.length > 0) yield skipped.shift() as ReadLine;
    if (!hasHeader) headerOf([]);
  } finally {
    stop();
  }
}

/** Finds our columns whatever their case; others are left out. */
function headerOf(header: string[]): (string | undefined)[] {
  const known = new Map(CSV_COLUMNS.map((column) => [column.toLowerCase(), column]));
  const columns = header.map((name) => known.get(name.trim().toLowerCase().replaceAll(/[\s_]/g, '')));
  const missing = (['foodName', 'calories'] as const).filter((column) => !columns.includes(column));
  if (missing.length > 0 || !(columns.includes('loggedAt') || columns.includes('localDate'))) {
    throw new PlatformError(
      'VALIDATION_FAILED',
      `The first line must name the columns; expected foodName, calories and loggedAt or localDate among them, got "${header.join(',').slice(0, 200)}".`,
      {
        errors: [
          { path: '', message: 'expected a header with foodName, calories, and loggedAt or localDate' },
        ],
      },
    );
  }
  return columns;
}
