import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import {
  CsvRecords,
  DELIMITERS,
  splitFields,
  type CsvRecord,
  type Delimiter,
} from '#server/csv/csv-records.ts';
import { withoutApostrophe } from '#server/csv/formulas.ts';
import { textLines } from '#server/csv/text-lines.ts';
import { invalid } from '#server/errors.ts';
import { columnsOfHeader, DEFAULT_FACTORS, factorOf, type Columns, type Field } from './import-columns.ts';
import {
  MAX_BYTES,
  misshapen,
  tooManyLines,
  wrong,
  type ImportedLine,
  type ImportOptions,
  type LineOrErrors,
} from './imported-lines.ts';
import { instantOf, secondsOf } from './import-times.ts';
import { measures, SetInputShape, type SetInput } from './trainings.shapes.ts';

const LONGEST_LINE = 16_384; // characters

/**
 * Reads a CSV file. Every line after the header is returned once, as a line of a training or as its errors.
 * @throws VALIDATION_FAILED for a file without a usable header
 */
export async function readCsv(
  stream: Readable,
  options: ImportOptions,
  maxLines: number,
): Promise<LineOrErrors[]> {
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
        'expected a FIT or TCX file, or CSV with a first line with the columns startedAt and exercise, and those of sets such as reps and weightKg',
      );
    const records = new CsvRecords(header.delimiter, header.columns.length, () => false);
    const reader = new LineReader(header.columns, options);
    const read: LineOrErrors[] = [];
    const take = (record: CsvRecord) => {
      if (read.length === maxLines) throw tooManyLines(maxLines);
      read.push(reader.read(record));
    };
    for await (const line of lines) for (const record of records.push(line)) take(record);
    for (const record of records.end()) take(record);
    return read;
  } finally {
    await lines.return(undefined);
  }
}

function headerOf(text: string): { delimiter: Delimiter; columns: Columns } | undefined {
  for (const delimiter of Object.keys(DELIMITERS) as Delimiter[]) {
    const split = splitFields(text, DELIMITERS[delimiter]);
    const columns = split.kind === 'fields' ? columnsOfHeader(split.fields) : undefined;
    if (columns) return { delimiter, columns };
  }
  return undefined;
}

const NUMBER = /^-?\d+([.,]\d+)?$/;
const numberOf = (text: string): number => Number(text.replace(',', '.'));
const optional = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess((text) => (text === '' || text === undefined ? null : text), shape.nullable());
const numeric = <Shape extends z.ZodType>(shape: Shape) =>
  optional(
    z.preprocess((text) => (typeof text === 'string' && NUMBER.test(text) ? numberOf(text) : text), shape),
  );

const LineShape = z.object({
  trainingId: optional(uuid()),
  minutes: numeric(z.int().min(0).max(1_440)),
  title: optional(z.string().max(120)),
  note: optional(z.string().max(5_000)),
  exerciseId: optional(uuid()),
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

const TIMES = ['startedAt', 'endedAt', 'completedAt'] as const;
const MAX_REST_SECONDS = 3_600;
const MEASURES = ['reps', 'weightKg', 'assistedKg', 'durationSeconds', 'distanceMeters'] as const;
const ZERO_IS_NONE = [...MEASURES, 'rpe'] as const;
const NEVER_ZERO = ['reps', 'durationSeconds', 'distanceMeters', 'rpe'] as const;

type Values = Partial<Record<Field, string>>;

class LineReader {
  private readonly columns: Columns;
  private readonly options: ImportOptions;
  private readonly seen = new Map<string, number>();
  /** The last line with a set: a line with a rest belongs to this set. */
  private previous: (ImportedLine & { set: SetInput }) | undefined;

  constructor(columns: Columns, options: ImportOptions) {
    this.columns = columns;
    this.options = options;
  }

  read(record: CsvRecord): LineOrErrors {
    const read = this.lineOf(record);
    // A rest belongs to the set before it. If that set is wrong, an earlier set must not get its rest.
    if ('errors' in read) this.previous = undefined;
    return read;
  }

  private lineOf(record: CsvRecord): LineOrErrors {
    const { line } = record;
    if (record.problem !== undefined) return wrong(line, null, record.problem);
    if (record.fields.length !== this.columns.length)
      return wrong(line, null, `expected ${this.columns.length} fields, got ${record.fields.length}`);
    const values = this.valuesOf(record.fields);
    const times = timesOf(values, this.options.zone);
    if ('column' in times) return wrong(line, times.column, times.message);
    const measured = this.inOurUnits(values);
    if (measured) return wrong(line, measured.column, measured.message);
    const isRest = /^rest timer$/i.test(values.type ?? '');
    if (isRest || /^note$/i.test(values.type ?? '')) values.type = '';
    const checked = LineShape.safeParse(values);
    if (!checked.success) return misshapen(line, checked.error);
    const { startedAt, endedAt, completedAt } = times;
    const { trainingId, minutes, title, note, exerciseId, exercise, setId, ...set } = checked.data;
    const training = trainingId?.toLowerCase() ?? `${startedAt.toISOString()} ${title ?? ''}`;
    const base = { line, training, trainingId, startedAt, endedAt, minutes, title, note };
    if (isRest) return this.rest(base, set.durationSeconds);
    const isSet = MEASURES.some((measure) => set[measure] !== null);
    if (!isSet) return { ...base, exerciseId, exercise, set: null };
    if (!exerciseId && !exercise) return wrong(line, 'exercise', 'expected the exercise of the set');
    const id =
      setId ?? this.idOf(JSON.stringify([training, exerciseId, exercise, set, completedAt ?? undefined]));
    const withSet = {
      ...base,
      exerciseId,
      exercise,
      set: { ...set, id, completedAt: completedAt?.toISOString() },
    };
    this.previous = withSet;
    return withSet;
  }

  /** Strong writes the rest after a set as a line of its own. */
  private rest(
    base: Omit<ImportedLine, 'exerciseId' | 'exercise' | 'set'>,
    seconds: number | null,
  ): LineOrErrors {
    const { previous } = this;
    if (previous?.training !== base.training)
      return wrong(base.line, null, 'expected a set of the same training before its rest');
    if (seconds !== null) previous.set.restSeconds = Math.min(MAX_REST_SECONDS, seconds);
    return { ...base, exerciseId: null, exercise: null, set: null, restAfter: previous.line };
  }

  private valuesOf(fields: readonly string[]): Values {
    const values: Values = {};
    for (const [index, column] of this.columns.entries())
      if (column) values[column.field] ||= withoutApostrophe((fields[index] ?? '').trim());
    // Other apps write 0 for a measure that a set does not have. Our exports, which have set ids, leave it out: there a
    // weight of 0 is a weight.
    for (const measure of values.setId ? NEVER_ZERO : ZERO_IS_NONE)
      if (/^0*([.,]0*)?$/.test(values[measure] ?? '')) values[measure] = '';
    return values;
  }

  /** Converts the weight to kilograms and the distance to metres. Returns an error if a unit is unknown. */
  private inOurUnits(values: Values): { column: string; message: string } | undefined {
    const defaults = DEFAULT_FACTORS[this.options.units];
    for (const [field, unitField, usual] of [
      ['weightKg', 'weightUnit', defaults.weight],
      ['distanceMeters', 'distanceUnit', defaults.distance],
    ] as const) {
      const text = values[field];
      if (!text || !NUMBER.test(text)) continue;
      const unit = values[unitField];
      const own = this.columns.find((column) => column?.field === field)?.factor;
      const factor = own ?? (unit ? factorOf(unit) : usual);
      if (factor === undefined)
        return { column: unitField, message: `expected kg, lb, m, km or mi, got "${unit?.slice(0, 40)}"` };
      if (factor !== 1) values[field] = String(Math.round(numberOf(text) * factor * 1_000) / 1_000);
    }
    return undefined;
  }

  /** A set gets the same id whenever the file is imported. Equal sets of a file get different ids. */
  private idOf(content: string): string {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 24);
    const occurrence = (this.seen.get(hash) ?? 0) + 1;
    this.seen.set(hash, occurrence);
    return `i-${hash}-${occurrence}`;
  }
}

type Times = { startedAt: Date; endedAt: Date | null; completedAt: Date | null };

/** The times of a line, or its first wrong time. */
function timesOf(values: Values, zone: string): Times | { column: string; message: string } {
  const times: Partial<Record<(typeof TIMES)[number], Date>> = {};
  for (const column of TIMES) {
    const text = values[column];
    const time = text ? instantOf(text, zone) : undefined;
    if (!time && (text || column === 'startedAt'))
      return { column, message: 'expected a time such as 2026-01-31T18:00:00Z' };
    if (time) times[column] = time;
  }
  const { startedAt = new Date(NaN), endedAt, completedAt } = times;
  const duration = values.trainingDuration ? secondsOf(values.trainingDuration) : undefined;
  if (values.trainingDuration && duration === undefined)
    return { column: 'duration', message: 'expected a duration such as 1h 5m or 3900 (seconds)' };
  const end = duration === undefined ? null : new Date(startedAt.getTime() + duration * 1_000);
  return { startedAt, endedAt: endedAt ?? end, completedAt: completedAt ?? null };
}

/** As the type of a set, Strong writes its number, W, D or F, and Hevy writes `normal`, `warmup`, `dropset` or `failure`. */
function setTypeOf(text: string): string {
  const type = text.toUpperCase();
  if (type === '' || /^\d+$/.test(type)) return 'NORMAL';
  return { W: 'WARMUP', D: 'DROP', DROPSET: 'DROP', F: 'FAILURE' }[type] ?? type;
}
