import type { Readable } from 'node:stream';
import {
  CsvRecords,
  DELIMITERS,
  splitFields,
  type CsvRecord,
  type Delimiter,
} from '#server/csv/csv-records.ts';
import { textLines, type TextLine } from '#server/csv/text-lines.ts';
import { invalid, PlatformError, type FieldError } from '#server/errors.ts';
import { jsonIn } from '#server/json-object.ts';
import { ImportedMemberShape, type ImportedMember } from './user-imports.shapes.ts';

export const IMPORT_FORMATS = { NDJSON: 'application/x-ndjson', CSV: 'text/csv' } as const;
export type ImportFormat = keyof typeof IMPORT_FORMATS;

/** The format of a file with this `Content-Type`. @throws UNSUPPORTED_MEDIA_TYPE */
export function formatOf(contentType: string | undefined): ImportFormat {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === IMPORT_FORMATS.NDJSON) return 'NDJSON';
  if (type === IMPORT_FORMATS.CSV) return 'CSV';
  throw new PlatformError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Expected a file of the type ${Object.values(IMPORT_FORMATS).join(' or ')}, got ${type ?? 'none'}.`,
  );
}

export const MAX_IMPORT_BYTES = 16 * 1024 * 1024; // 16 MiB
export const MAX_IMPORT_LINES = 100_000;
const LONGEST_LINE = 4_096; // characters
// The errors of every line are stored with the import, so their number and length are bounded.
const MAX_ERRORS = 10;
const MAX_MESSAGE = 200; // characters
const COLUMNS = Object.keys(ImportedMemberShape.shape);

export type ImportLine =
  | { line: number; member: ImportedMember; errors?: undefined }
  | { line: number; errors: FieldError[] };

/**
 * Reads a file of members in bounded memory, and yields every line once, as a member or as its errors. Empty lines and the
 * header of a CSV file are left out.
 * @throws VALIDATION_FAILED for a CSV file without a usable header; PAYLOAD_TOO_LARGE beyond 16 MiB or 100,000 lines; the
 * error of the stream
 */
export async function* importLines(stream: Readable, format: ImportFormat): AsyncGenerator<ImportLine> {
  const lines = textLines(stream, {
    maxBytes: MAX_IMPORT_BYTES,
    maxLineCharacters: LONGEST_LINE,
    // JSON is always UTF-8 (RFC 8259); the encoding of a CSV file is detected, and not reported.
    encoding: format === 'NDJSON' ? 'UTF_8' : undefined,
    onEncoding: () => undefined,
  });
  let count = 0;
  try {
    for await (const line of format === 'NDJSON' ? jsonLines(lines) : csvLines(lines)) {
      count += 1;
      if (count > MAX_IMPORT_LINES)
        throw new PlatformError(
          'PAYLOAD_TOO_LARGE',
          `A file may have at most ${MAX_IMPORT_LINES} lines; send it in parts.`,
        );
      yield line;
    }
  } finally {
    await lines.return(undefined);
    // The rest of the request is read and discarded, because a client reads the answer only after it has sent everything.
    stream.on('error', () => undefined).resume();
  }
}

async function* jsonLines(lines: AsyncIterable<TextLine>): AsyncGenerator<ImportLine> {
  for await (const read of lines) {
    if (read.problem !== undefined) yield failed(read.number, read.problem);
    else if (read.text.trim() !== '') yield memberOfObject(read.number, jsonIn(read.text));
  }
}

async function* csvLines(lines: AsyncGenerator<TextLine>): AsyncGenerator<ImportLine> {
  const { delimiter, columns } = await headerOf(lines);
  const records = new CsvRecords(delimiter, columns.length, (fields) => isWholeMember(fields, columns));
  for await (const line of lines) yield* records.push(line).map((record) => memberOfRecord(record, columns));
  yield* records.end().map((record) => memberOfRecord(record, columns));
}

/**
 * Whether a line is a valid member by itself. Then `CsvRecords` does not take it for a part of a quoted field of an earlier line
 * whose closing quote is missing.
 */
const isWholeMember = (fields: readonly string[], columns: readonly string[]): boolean =>
  'member' in memberOfRecord({ line: 0, fields: [...fields] }, columns);

/** The delimiter, and the columns in the order of the header. @throws VALIDATION_FAILED that names the expected columns */
async function headerOf(
  lines: AsyncGenerator<TextLine>,
): Promise<{ delimiter: Delimiter; columns: string[] }> {
  const { value: first, done } = await lines.next();
  const text = done || first.problem !== undefined ? '' : first.text;
  for (const delimiter of Object.keys(DELIMITERS) as Delimiter[]) {
    const split = splitFields(text, DELIMITERS[delimiter]);
    const columns = split.kind === 'fields' ? split.fields.map(columnOf) : [];
    if (columns.length === COLUMNS.length && COLUMNS.every((column) => columns.includes(column)))
      return { delimiter, columns };
  }
  throw invalid(
    'file',
    `expected a first line with exactly the columns ${COLUMNS.join(' and ')}, in any order, not "${text.slice(0, 100)}"`,
  );
}

const columnOf = (title: string): string =>
  COLUMNS.find((column) => column.toLowerCase() === title.trim().toLowerCase()) ?? '';

function memberOfRecord(record: CsvRecord, columns: readonly string[]): ImportLine {
  if (record.problem !== undefined) return failed(record.line, record.problem);
  if (record.fields.length !== columns.length)
    return failed(
      record.line,
      `expected ${columns.length} fields, as in the header, not ${record.fields.length}`,
    );
  return memberOfObject(
    record.line,
    Object.fromEntries(columns.map((column, index) => [column, record.fields[index]])),
  );
}

function memberOfObject(line: number, value: unknown): ImportLine {
  if (value === undefined)
    return failed(line, 'expected a JSON object, such as {"email": "...", "displayName": "..."}');
  const parsed = ImportedMemberShape.safeParse(value);
  if (parsed.success) return { line, member: parsed.data };
  return {
    line,
    errors: parsed.error.issues
      .slice(0, MAX_ERRORS)
      .map(({ path, message }) => ({ path: path.join('.'), message: message.slice(0, MAX_MESSAGE) })),
  };
}

const failed = (line: number, message: string): ImportLine => ({ line, errors: [{ path: '', message }] });
