import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { PlatformError } from '#server/errors.ts';
import { headerOf, noHeader, type Column } from './csv-columns.ts';
import { entryOf, type CsvLine } from './csv-entry.ts';
import { dateOrderIn, decimalIn, type CsvFormat, type CsvOptions } from './csv-format.ts';
import { CsvRecords, type CsvRecord } from '#server/csv/csv-records.ts';
import { dateOf, numberOf } from './csv-values.ts';
import type { LineError } from './imports.shapes.ts';
import { textLines, type Encoding, type TextLine } from '#server/csv/text-lines.ts';

export type { CsvLine } from './csv-entry.ts';

const MAX_LINES = 100_000;
export const MAX_BYTES = 25 * 1024 * 1024; // 25 MiB
const LONGEST_LINE = 16_384; // characters
/** Reports may have titles and addresses before the header. */
const MAX_LINES_BEFORE_HEADER = 20;
/** The number of records and characters by which the formats of numbers and dates are decided. */
const SAMPLE_RECORDS = 1_000;
const SAMPLE_CHARACTERS = 1_048_576;

/** A line of the file, or what is wrong with it. */
export type LineOrErrors =
  | { line: number; entry: CsvLine; key: string }
  | { line: number; errors: LineError[] };

/**
 * Reads a CSV file in bounded memory. Yields every line after the header once, as an entry or as its errors. The key of an
 * entry is a hash of its contents with the number of equal lines so far, so that the same file has the same keys again, and
 * two equal lines are two entries.
 * @param onFormat called with the format before the first line, and again at the end, when the encoding is certain
 * @throws VALIDATION_FAILED for a file without a usable header or with ambiguous dates; PAYLOAD_TOO_LARGE beyond 25 MiB or
 * 100,000 lines
 */
export async function* readCsvLines(
  stream: Readable,
  options: CsvOptions,
  onFormat: (format: CsvFormat) => void,
): AsyncGenerator<LineOrErrors> {
  let encoding: Encoding = options.encoding ?? 'UTF_8';
  const lines = textLines(stream, {
    maxBytes: MAX_BYTES,
    maxLineCharacters: LONGEST_LINE,
    encoding: options.encoding ?? undefined,
    onEncoding: (found) => {
      encoding = found;
    },
  });
  try {
    const { delimiter, columns } = await readHeader(lines, options);
    const records = new CsvRecords(delimiter, columns.length, (fields) => isWholeEntry(fields, columns));
    const interpreter = new Interpreter(columns);
    let sample: CsvRecord[] | undefined = [];
    let sampleCharacters = 0;
    const decide = (): CsvFormat => {
      const read = (sample ?? []).flatMap((record) => (record.problem === undefined ? [record.fields] : []));
      return {
        encoding,
        delimiter,
        decimal: options.decimal ?? decimalIn(read, columns, delimiter),
        dateOrder: options.dateOrder ?? dateOrderIn(read, columns, new Date()),
      };
    };
    let format: CsvFormat | undefined;
    // Returns nothing until the sample is large enough, then the lines of the sample, and later those of `found`.
    const linesOf = (found: readonly CsvRecord[], isEnd: boolean): LineOrErrors[] => {
      if (sample === undefined) return found.map((record) => interpreter.read(record, format as CsvFormat));
      for (const record of found) {
        sample.push(record);
        if (record.problem === undefined) for (const field of record.fields) sampleCharacters += field.length;
      }
      if (!isEnd && sample.length < SAMPLE_RECORDS && sampleCharacters < SAMPLE_CHARACTERS) return [];
      const decided = decide();
      format = decided;
      onFormat(decided);
      const first = sample.map((record) => interpreter.read(record, decided));
      sample = undefined;
      return first;
    };
    for await (const line of lines) yield* linesOf(records.push(line), false);
    yield* linesOf(records.end(), true);
    if (format) onFormat({ ...format, encoding });
  } finally {
    await lines.return(undefined);
    // The rest of the request is read and discarded, because a client reads the answer only after it has sent everything.
    stream.on('error', () => undefined).resume();
  }
}

async function readHeader(lines: AsyncGenerator<TextLine>, { delimiter }: CsvOptions) {
  let firstLine = '';
  for (let count = 0; count < MAX_LINES_BEFORE_HEADER; count++) {
    const { value: line, done } = await lines.next();
    if (done) break;
    if (line.problem !== undefined) continue;
    firstLine ||= line.text.trim();
    const header = headerOf(line.text, delimiter ?? undefined);
    if (header) return header;
  }
  throw noHeader(firstLine);
}

/** Whether a line alone, without the lines after it, is a record with a date and an energy, in any format. */
function isWholeEntry(fields: readonly string[], columns: readonly Column[]): boolean {
  const text = (wanted: string): string => {
    const index = columns.findIndex(({ field }) => field === wanted);
    return index < 0 ? '' : (fields[index] ?? '').trim();
  };
  const date = text('localDate') || text('loggedAt');
  const energy = text('calories') || text('kilojoules');
  return (
    (dateOf(date, 'DMY') ?? dateOf(date, 'MDY')) !== undefined &&
    (numberOf(energy, 'POINT') ?? numberOf(energy, 'COMMA')) !== undefined
  );
}

/** Turns records into entries, and counts equal ones. */
class Interpreter {
  private readonly columns: readonly Column[];
  private readonly seen = new Map<string, number>();
  private lines = 0;

  constructor(columns: readonly Column[]) {
    this.columns = columns;
  }

  read(record: CsvRecord, format: CsvFormat): LineOrErrors {
    this.lines += 1;
    if (this.lines > MAX_LINES)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `A file may have at most ${MAX_LINES} lines; send it in parts.`,
      );
    const { line } = record;
    if (record.problem !== undefined)
      return { line, errors: [{ line, column: null, message: record.problem }] };
    const read = entryOf(record.fields, this.columns, format);
    if ('problems' in read) return { line, errors: read.problems.map((problem) => ({ line, ...problem })) };
    // The hash omits the ids, because a file without these columns contains the same food log.
    const { id: _id, foodId: _foodId, ...content } = read.entry;
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 32);
    const occurrence = (this.seen.get(hash) ?? 0) + 1;
    this.seen.set(hash, occurrence);
    return { line, entry: read.entry, key: `${hash}:${occurrence}` };
  }
}
