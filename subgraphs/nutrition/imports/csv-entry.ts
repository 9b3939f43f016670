import { z } from 'zod';
import { withoutApostrophe } from '#server/csv/formulas.ts';
import { day, instant, uuid } from '#server/shapes.ts';
import { MAX_OF_ENTRY } from '../food-logs/entry-limits.ts';
import { MEAL_TYPES, type MealType } from '../food-logs/food-logs.shapes.ts';
import { implausibilityOf } from '../plausibility.ts';
import type { Column, CsvField } from './csv-columns.ts';
import type { CsvFormat } from './csv-format.ts';
import { dateOf, dateOrderOf, numberOf, timeOf } from './csv-values.ts';

const number = (name: keyof typeof MAX_OF_ENTRY) => z.number().min(0).max(MAX_OF_ENTRY[name]);

const LineShape = z
  .object({
    id: uuid().nullable(),
    localDate: day.nullable(),
    loggedAt: instant.nullable(),
    mealType: z.enum(MEAL_TYPES).nullable(),
    foodName: z.string('expected a name').min(1, 'expected a name').max(200),
    quantity: number('quantity').nullable(),
    unit: z.string().max(40).nullable(),
    grams: number('grams').nullable(),
    calories: number('calories').transform(Math.round),
    protein: number('protein').nullable(),
    carbs: number('carbs').nullable(),
    fats: number('fats').nullable(),
    foodId: z.string().max(60).nullable(),
    /** `HH:MM` or `HH:MM:SS` on `localDate`; absent if the line has no time of day, or an instant. */
    localTime: z.string().optional(),
  })
  .refine(({ localDate, loggedAt }) => localDate !== null || loggedAt !== null, {
    path: ['loggedAt'],
    message: 'expected loggedAt or localDate, got neither',
  });
/**
 * The contents of a line. The key that identifies a repeated line depends on these fields, except the ids, and on their
 * order: after a change here, files that were imported before would be imported again.
 */
export type CsvLine = z.infer<typeof LineShape>;

interface LineProblem {
  column: string | null;
  message: string;
}

/** The entry of a record, or all its errors, with the column titles of the file. */
export function entryOf(
  fields: readonly string[],
  columns: readonly Column[],
  format: CsvFormat,
): { entry: CsvLine } | { problems: LineProblem[] } {
  if (fields.slice(columns.length).some((text) => text.trim() !== ''))
    return {
      problems: [
        {
          column: null,
          message: `expected at most ${columns.length} fields as in the header, got ${fields.length}; put a text that contains the separator in quotes`,
        },
      ],
    };
  const reader = new FieldReader(fields, columns, format);
  const raw = rawEntry(reader);
  if (reader.problems.length > 0) return { problems: reader.problems };
  const parsed = LineShape.safeParse(raw);
  if (!parsed.success)
    return {
      problems: parsed.error.issues.map((issue) => ({
        column: reader.titleOf(issue.path[0] as CsvField | undefined),
        message: issue.message,
      })),
    };
  const entry = parsed.data;
  // A line of our own export was an entry before, so it is accepted even if it is implausible.
  const doubt = entry.id === null ? implausibilityOf(entry) : undefined;
  return doubt ? { problems: [{ column: reader.titleOf(doubt.path), message: doubt.message }] } : { entry };
}

function rawEntry(reader: FieldReader): Record<string, unknown> {
  const meal = reader.text('meal');
  const amount = /^([\d.,]+)\s*(.*)$/su.exec(reader.text('amount'));
  const amountNumber = amount?.[1] === undefined ? undefined : numberOf(amount[1], reader.decimal);
  const amountUnit = amountNumber === undefined ? '' : (amount?.[2] ?? '').trim().slice(0, 40);
  const kilojoules = reader.number('kilojoules');
  const when = reader.when();
  return {
    id: reader.text('id') || null,
    localDate: when.localDate,
    loggedAt: when.loggedAt,
    mealType: reader.mealType(meal),
    foodName: reader.words('foodName') || meal,
    quantity: reader.number('quantity') ?? amountNumber ?? null,
    unit: reader.words('unit') || amountUnit || null,
    grams: reader.number('grams') ?? (/^g(rams?)?$/i.test(amountUnit) ? amountNumber : null),
    calories:
      reader.number('calories') ?? (kilojoules === null ? reader.missing('calories') : kilojoules / 4.184),
    protein: reader.number('protein'),
    carbs: reader.number('carbs'),
    fats: reader.number('fats'),
    foodId: reader.text('foodId').toLowerCase() || null,
    ...(when.localTime !== undefined && { localTime: when.localTime }),
  };
}

/** Texts that other apps write for a missing number. */
const NOTHING = /^(|-+|–|—|n\/?a|null)$/i;

const MEALS: ReadonlyMap<string, MealType> = new Map([
  ...MEAL_TYPES.map((type) => [type.toLowerCase(), type] as const),
  ['snacks', 'SNACK'],
  ['snacks/other', 'SNACK'],
  ['morning snack', 'SNACK'],
  ['afternoon snack', 'SNACK'],
  ['evening snack', 'SNACK'],
  ['supper', 'DINNER'],
  ['brunch', 'LUNCH'],
]);

/** Reads the fields of one record, and collects their errors. */
class FieldReader {
  readonly problems: LineProblem[] = [];
  readonly decimal: CsvFormat['decimal'];
  private readonly fields: readonly string[];
  private readonly columns: readonly Column[];
  private readonly format: CsvFormat;

  constructor(fields: readonly string[], columns: readonly Column[], format: CsvFormat) {
    this.fields = fields;
    this.columns = columns;
    this.format = format;
    this.decimal = format.decimal;
  }

  /** The text of a field; empty if the file has no such column. */
  text(wanted: CsvField): string {
    const index = this.columns.findIndex(({ field }) => field === wanted);
    return index < 0 ? '' : (this.fields[index] ?? '').trim();
  }

  titleOf(wanted: CsvField | undefined): string | null {
    return this.columns.find(({ field }) => field === wanted)?.title ?? wanted ?? null;
  }

  /** A text that users write, without the apostrophe that an export writes before a formula. */
  words(wanted: 'foodName' | 'unit'): string {
    return withoutApostrophe(this.text(wanted));
  }

  number(field: CsvField): number | null {
    const text = this.text(field);
    if (NOTHING.test(text)) return null;
    const value = numberOf(text, this.decimal);
    if (value === undefined) {
      const [example, other] = this.decimal === 'POINT' ? ['1.5', 'COMMA'] : ['1,5', 'POINT'];
      const isOther = numberOf(text, other as CsvFormat['decimal']) !== undefined;
      this.problem(
        field,
        `expected a number such as ${example}, got "${text.slice(0, 40)}"${isOther ? `; if all numbers of the file are like this one, repeat the import with decimal=${other}` : ''}`,
      );
      return null;
    }
    return value;
  }

  /** Reports that a required number is missing, unless there already is an error of this field or of `kilojoules`. */
  missing(field: CsvField): undefined {
    if (
      !this.problems.some(
        ({ column }) => column === this.titleOf(field) || column === this.titleOf('kilojoules'),
      )
    )
      this.problem(field, 'expected a number, got nothing');
    return undefined;
  }

  /** The column `mealType` must have one of our types; meals of other apps may have any name. */
  mealType(meal: string): MealType | null {
    const type = this.text('mealType');
    if (type === '') return MEALS.get(meal.toLowerCase()) ?? null;
    const known = MEAL_TYPES.find((one) => one === type.toUpperCase());
    if (known === undefined)
      this.problem('mealType', `expected one of ${MEAL_TYPES.join(', ')}, got "${type.slice(0, 40)}"`);
    return known ?? null;
  }

  /** The local day, the instant and the local time of the record, from up to three columns; each only if the record has it. */
  when(): { localDate: string | null; loggedAt: string | null; localTime?: string } {
    const ofLocalDate = this.date('localDate');
    const ofLoggedAt = this.date('loggedAt');
    const loggedAt = [ofLoggedAt, ofLocalDate].find((date) => date?.kind === 'instant');
    const local = [ofLocalDate, ofLoggedAt].find((date) => date?.kind === 'day');
    const clock = this.text('localTime');
    const localTime = clock === '' ? local?.time : timeOf(clock);
    if (clock !== '' && localTime === undefined)
      this.problem('localTime', `expected a time such as 18:30 or 6:30 PM, got "${clock.slice(0, 40)}"`);
    return {
      localDate: local?.day ?? null,
      loggedAt: loggedAt?.instant ?? null,
      ...(local && !loggedAt && localTime !== undefined && { localTime }),
    };
  }

  private date(field: 'localDate' | 'loggedAt') {
    const text = this.text(field);
    if (text === '') return undefined;
    const order = this.format.dateOrder;
    // The order is null if no date of the first records depends on it; a later date still may.
    const orderOfDate = order === null ? dateOrderOf(text) : order;
    if (orderOfDate === 'BOTH') {
      this.problem(
        field,
        `expected a day such as 2026-01-31, got "${text.slice(0, 40)}", which may be day first or month first; repeat the request with dateOrder`,
      );
      return undefined;
    }
    const date = dateOf(text, orderOfDate ?? 'DMY');
    if (date === undefined)
      this.problem(
        field,
        `expected a day such as 2026-01-31, got "${text.slice(0, 40)}"${order ? `; dates of this file are read as ${order}` : ''}`,
      );
    return date;
  }

  private problem(field: CsvField, message: string): void {
    this.problems.push({ column: this.titleOf(field), message });
  }
}
