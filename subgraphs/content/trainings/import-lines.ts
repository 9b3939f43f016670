import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DateTime } from 'luxon';
import { z } from 'zod';
import {
  CsvRecords,
  DELIMITERS,
  splitFields,
  type CsvRecord,
  type Delimiter,
} from '#server/csv/csv-records.ts';
import { textLines } from '#server/csv/text-lines.ts';
import { invalid, PlatformError } from '#server/errors.ts';
import { CSV_COLUMNS } from './training-csv.ts';
import { measures, SetInputShape, type SetInput } from './trainings.shapes.ts';

export const MAX_BYTES = 10 * 1024 * 1024; // 10 MiB
const MAX_LINES = 50_000;
const LONGEST_LINE = 16_384; // characters

export interface LineError {
  line: number;
  column: string | null;
  message: string;
}

/** One line of a file: a set, or a training or an exercise without sets. */
export interface ImportedLine {
  line: number;
  /** Equal for all lines of one training. */
  training: string;
  trainingId: string | null;
  startedAt: Date;
  endedAt: Date | null;
  minutes: number | null;
  title: string | null;
  note: string | null;
  exerciseId: string | null;
  exercise: string | null;
  set: (SetInput & { id: string }) | null;
}
export type ReadLine = ImportedLine | { line: number; errors: LineError[] };

type Field = (typeof CSV_COLUMNS)[number];

/** Titles in lower case, without other signs than letters: our own, and those of Strong and Hevy. */
const TITLES: ReadonlyMap<string, Field> = new Map([
  ...CSV_COLUMNS.map((column) => [column.toLowerCase(), column] as const),
  ...([
    ['date', 'startedAt'],
    ['starttime', 'startedAt'],
    ['endtime', 'endedAt'],
    ['workoutname', 'title'],
    ['workoutnotes', 'note'],
    ['description', 'note'],
    ['exercisename', 'exercise'],
    ['exercisetitle', 'exercise'],
    ['settype', 'type'],
    ['weight', 'weightKg'],
    ['seconds', 'durationSeconds'],
    ['distance', 'distanceMeters'],
  ] as const),
]);
const titleOf = (text: string): Field | undefined =>
  TITLES.get(text.replaceAll(/[^\p{L}]/gu, '').toLowerCase());

/**
 * Reads a CSV file. Every line after the header is returned once, as a line of a training or as its errors.
 * @param zone decides the instant of a time without an offset
 * @throws VALIDATION_FAILED for a file without a usable header; PAYLOAD_TOO_LARGE beyond 10 MiB or 50,000 lines
 */
export async function readImport(stream: Readable, zone: string): Promise<ReadLine[]> {
  const lines = textLines(stream, {
    maxBytes: MAX_BYTES,
    maxLineCharacters: LONGEST_LINE,
    encoding: undefined,
    onEncoding: () => undefined,
  });
  try {
    const first = await lines.next();
    const header = first.done || first.value.problem !== undefined ? undefined : headerOf(first.value.text);
    if (!header)
      throw invalid(
        '',
        'expected a first line with the columns startedAt and exercise, and those of sets such as reps and weightKg',
      );
    const records = new CsvRecords(header.delimiter, header.columns.length, () => false);
    const reader = new LineReader(header.columns, zone);
    const read: ReadLine[] = [];
    for await (const line of lines) for (const record of records.push(line)) read.push(reader.read(record));
    for (const record of records.end()) read.push(reader.read(record));
    return read;
  } finally {
    await lines.return(undefined);
    // The rest of the request is read and discarded, because a client reads the answer only after it has sent everything.
    stream.on('error', () => undefined).resume();
  }
}

function headerOf(text: string): { delimiter: Delimiter; columns: (Field | undefined)[] } | undefined {
  for (const delimiter of Object.keys(DELIMITERS) as Delimiter[]) {
    const split = splitFields(text, DELIMITERS[delimiter]);
    if (split.kind !== 'fields') continue;
    const columns = split.fields.map(titleOf);
    if (columns.includes('startedAt') && (columns.includes('exercise') || columns.includes('exerciseId')))
      return { delimiter, columns };
  }
  return undefined;
}

const optional = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess((text) => (text === '' || text === undefined ? null : text), shape.nullable());
const numeric = <Shape extends z.ZodType>(shape: Shape) =>
  optional(
    z.preprocess(
      (text) =>
        typeof text === 'string' && /^-?\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : text,
      shape,
    ),
  );

const LineShape = z.object({
  trainingId: optional(z.uuid()),
  minutes: numeric(z.int().min(0).max(1_440)),
  title: optional(z.string().max(120)),
  note: optional(z.string().max(5_000)),
  exerciseId: optional(z.uuid()),
  exercise: optional(z.string().max(120)),
  setId: optional(SetInputShape.shape.id.unwrap().unwrap()),
  type: z.preprocess((text) => setTypeOf(typeof text === 'string' ? text : ''), SetInputShape.shape.type),
  reps: numeric(measures.reps.unwrap()),
  weightKg: numeric(measures.weightKg.unwrap()),
  assistedKg: numeric(measures.assistedKg.unwrap()),
  durationSeconds: numeric(measures.durationSeconds.unwrap()),
  distanceMeters: numeric(measures.distanceMeters.unwrap()),
  rpe: numeric(measures.rpe.unwrap()),
  restSeconds: numeric(measures.restSeconds.unwrap()),
});

const MEASURES = ['reps', 'weightKg', 'assistedKg', 'durationSeconds', 'distanceMeters'] as const;

class LineReader {
  private readonly columns: readonly (Field | undefined)[];
  private readonly zone: string;
  private readonly seen = new Map<string, number>();
  private lines = 0;

  constructor(columns: readonly (Field | undefined)[], zone: string) {
    this.columns = columns;
    this.zone = zone;
  }

  read(record: CsvRecord): ReadLine {
    this.lines += 1;
    if (this.lines > MAX_LINES)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `A file may have at most ${MAX_LINES} lines; send it in parts.`,
      );
    const { line } = record;
    const wrong = (column: string | null, message: string): ReadLine => ({
      line,
      errors: [{ line, column, message }],
    });
    if (record.problem !== undefined) return wrong(null, record.problem);
    if (record.fields.length !== this.columns.length)
      return wrong(null, `expected ${this.columns.length} fields, got ${record.fields.length}`);
    const values = this.valuesOf(record.fields);
    // Other apps write 0 for a measure that a set does not have.
    for (const measure of MEASURES) if (/^0*([.,]0*)?$/.test(values[measure] ?? '')) values[measure] = '';
    const startedAt = instantOf(values.startedAt, this.zone);
    if (!startedAt) return wrong('startedAt', 'expected a time such as 2026-01-31T18:00:00Z');
    const [endedAt, completedAt] = [values.endedAt, values.completedAt].map((text) =>
      instantOf(text, this.zone),
    );
    const checked = LineShape.safeParse(values);
    if (!checked.success) {
      const errors = checked.error.issues.map(({ path, message }) => ({
        line,
        column: String(path[0] ?? ''),
        message,
      }));
      return { line, errors };
    }
    const { trainingId, minutes, title, note, exerciseId, exercise, setId, ...set } = checked.data;
    const training = trainingId ?? `${startedAt.toISOString()} ${title ?? ''}`;
    const isSet = MEASURES.some((measure) => set[measure] !== null);
    if (isSet && !exerciseId && !exercise) return wrong('exercise', 'expected the exercise of the set');
    const content = JSON.stringify([training, exerciseId, exercise, set, completedAt]);
    return {
      line,
      training,
      trainingId,
      startedAt,
      endedAt: endedAt ?? null,
      minutes,
      title,
      note,
      exerciseId,
      exercise,
      set: isSet
        ? { ...set, id: setId ?? this.idOf(content), completedAt: completedAt?.toISOString() }
        : null,
    };
  }

  private valuesOf(fields: readonly string[]): Partial<Record<Field, string>> {
    const values: Partial<Record<Field, string>> = {};
    for (const [index, column] of this.columns.entries())
      // Our exports write an apostrophe before texts that a spreadsheet would run as formulas.
      if (column) values[column] ||= (fields[index] ?? '').trim().replace(/^'(?=[=+\-@])/, '');
    return values;
  }

  /** The same file gives the same ids again, and two equal sets are two. */
  private idOf(content: string): string {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 24);
    const occurrence = (this.seen.get(hash) ?? 0) + 1;
    this.seen.set(hash, occurrence);
    return `i-${hash}-${occurrence}`;
  }
}

/** Undefined for an absent or unreadable time. Without an offset it is a local time, such as those of Strong and Hevy. */
function instantOf(text: string | undefined, zone: string): Date | undefined {
  if (!text) return undefined;
  const local = { zone, locale: 'en' };
  const read = [
    DateTime.fromISO(text, { zone }),
    DateTime.fromSQL(text, { zone }),
    DateTime.fromFormat(text, 'd MMM yyyy, HH:mm', local),
    DateTime.fromFormat(text, 'MMM d, yyyy, h:mm a', local),
  ].find((time) => time.isValid && time.year >= 1900 && time.year <= 2999);
  return read?.toJSDate();
}

/** Strong writes the number of a set, W, D or F; Hevy `normal`, `warmup`, `dropset` or `failure`. */
function setTypeOf(text: string): string {
  const type = text.toUpperCase();
  if (type === '' || /^\d+$/.test(type)) return 'NORMAL';
  return { W: 'WARMUP', D: 'DROP', DROPSET: 'DROP', F: 'FAILURE' }[type] ?? type;
}
