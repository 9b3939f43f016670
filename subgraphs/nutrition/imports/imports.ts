import type { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { requireUser } from '#server/auth/viewer.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { streamOf } from '#server/streams.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireOwner } from '../access.ts';
import { foodById } from '../foods/food-table.ts';
import { dayOf, instantOf, validZone } from '../days/calendar.ts';
import { DayTotals } from '../days/day-totals.ts';
import { FOOD_LOG_COLUMNS } from '../food-logs/food-logs.ts';
import type { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import type { Profiles } from '../profiles/profiles.ts';
import { CSV_COLUMNS } from './csv-columns.ts';
import { readCsvLines, type CsvLine, type ReadLine } from './csv-lines.ts';
import { FoodLogImport } from './food-log-import.entity.ts';
import { CsvOptionsShape, type FoodLogImportShape, type ImportOptions } from './imports.shapes.ts';

const BATCH = 1_000; // lines
const MANY = 5_000; // lines
const MOST_ERRORS = 1_000;
const EXPORT_PAGE = 1_000;

/** A food log as CSV, in and out. */
export class Imports {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;

  constructor(unit: UnitOfWork, profiles: Profiles) {
    this.unit = unit;
    this.profiles = profiles;
  }

  /**
   * Imports lines as they come in, a thousand at a time, each thousand with the progress so far in one transaction.
   * A line that is wrong is left out and reported. A file that breaks off leaves what was imported; sent again, it goes
   * on from there, because a line that is there already is not imported twice.
   * @throws CONFLICT where `importId` is taken; what `readCsvLines` throws.
   */
  async run(csv: Readable, { importId, timezone, ...options }: ImportOptions): Promise<FoodLogImportShape> {
    const { userId } = requireUser(this.unit.viewer);
    if (importId && !isUuid(importId)) throw invalid('importId', 'expected a UUID');
    const format = validated(CsvOptionsShape, options);
    const zone = validZone(timezone) ?? (await this.profiles.of(this.unit)).timezone;
    const report = await this.begin(userId, importId ?? uuidv7());
    let batch: ReadLine[] = [];
    const lines = readCsvLines(csv, format, (decided) => {
      report.format = decided;
    });
    try {
      for await (const read of lines) {
        batch.push(read);
        if (batch.length < BATCH) continue;
        const full = batch;
        batch = []; // a batch that could not be written is not written again
        await this.write(report, full, zone);
      }
      report.status = 'DONE';
    } catch (error) {
      report.status = 'FAILED';
      report.finishedAt = new Date().toISOString();
      await this.write(report, batch, zone);
      throw error;
    }
    report.finishedAt = new Date().toISOString();
    await this.write(report, batch, zone);
    // Until the database looks at the table by itself, it would plan reads by what was there before.
    if (report.imported >= MANY) await this.unit.em.execute('analyze food_log');
    return report;
  }

  /** @throws NOT_FOUND also for another user's. */
  async get(id: string): Promise<FoodLogImportShape> {
    const { userId } = requireUser(this.unit.viewer);
    const found = isUuid(id) ? await this.unit.em.findOne(FoodLogImport, { id, userId }) : null;
    if (!found) throw notFound('import', id);
    const { status, lines, imported, duplicates, failed, errors, errorsOmitted } = found;
    return {
      id: found.id,
      status,
      lines,
      imported,
      duplicates,
      failed,
      errors,
      errorsOmitted,
      format: found.format ?? null,
      startedAt: found.startedAt.toISOString(),
      finishedAt: found.finishedAt?.toISOString() ?? null,
    };
  }

  /** The food log, oldest first, as a stream in bounded memory. @throws NOT_FOUND for another user's. */
  async export(
    userId: string,
    range: { from?: string | null | undefined; to?: string | null | undefined },
  ): Promise<Readable> {
    const owner = requireOwner(this.unit.viewer, userId);
    // A spreadsheet would run some texts as formulas; these get an apostrophe.
    const csv = stringify({ header: true, columns: [...CSV_COLUMNS], escape_formulas: true });
    return streamOf(this.rows(owner, range), [csv]);
  }

  private async *rows(
    owner: string,
    { from, to }: { from?: string | null | undefined; to?: string | null | undefined },
  ): AsyncGenerator<FoodLogShape> {
    let after: [string, string, string] | undefined;
    for (;;) {
      const page: FoodLogShape[] = await this.unit.em.execute(
        `select ${FOOD_LOG_COLUMNS} from food_log where user_id = ? and local_date >= ?::date and local_date <= ?::date ${after ? 'and (local_date, logged_at, id) > (?::date, ?::timestamptz, ?::uuid)' : ''}
         order by food_log.local_date, food_log.logged_at, food_log.id limit ${EXPORT_PAGE}`,
        [owner, from ?? '-infinity', to ?? 'infinity', ...(after ?? [])],
      );
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < EXPORT_PAGE) return;
      after = [last.localDate, last.loggedAt, last.id];
    }
  }

  private async begin(userId: string, id: string): Promise<FoodLogImportShape> {
    const startedAt = new Date();
    const begun = await this.unit.em.execute<unknown[]>(
      `insert into food_log_import (id, user_id, status, lines, imported, duplicates, failed, errors, started_at) values (?, ?, 'RUNNING', 0, 0, 0, 0, '[]', ?) on conflict (id) do nothing returning id`,
      [id, userId, startedAt],
    );
    if (begun.length === 0) throw conflict(`There is an import "${id}" already; choose another importId.`);
    return {
      id,
      status: 'RUNNING',
      lines: 0,
      imported: 0,
      duplicates: 0,
      failed: 0,
      errors: [],
      errorsOmitted: 0,
      format: null,
      startedAt: startedAt.toISOString(),
      finishedAt: null,
    };
  }

  /**
   * Writes a batch. Shapes refuse what cannot be stored by the name of its column; should the database still refuse a
   * value, its line is found by halves and fails alone.
   */
  private async write(report: FoodLogImportShape, batch: readonly ReadLine[], zone: string): Promise<void> {
    try {
      await this.writeWhole(report, batch, zone);
    } catch (error) {
      const refusal = refusalOfDatabase(error);
      if (refusal?.code !== 'VALIDATION_FAILED' || batch.length === 0) throw error;
      const half = Math.ceil(batch.length / 2);
      const [only] = batch;
      const parts =
        batch.length === 1 && only
          ? [[{ line: only.line, errors: [{ line: only.line, column: null, message: refusal.message }] }]]
          : [batch.slice(0, half), batch.slice(half)];
      for (const part of parts) await this.write(report, part, zone);
    }
  }

  /** A batch and the progress with it: whenever a report is read, its lines are the sum of what became of them. */
  private async writeWhole(
    report: FoodLogImportShape,
    batch: readonly ReadLine[],
    zone: string,
  ): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    const rows = batch.flatMap((read) => ('entry' in read ? [rowOf(read.entry, read.key, zone)] : []));
    const errors = batch.flatMap((read) => ('entry' in read ? [] : read.errors));
    const listed = errors.slice(0, MOST_ERRORS - report.errors.length);
    const next = await this.unit.transaction(async () => {
      const written = rows.length === 0 ? [] : await this.insert(userId, rows);
      await new DayTotals(this.unit).sumUp(
        userId,
        written.map((row) => row.date),
      );
      const progress = {
        lines: report.lines + batch.length,
        imported: report.imported + written.length,
        duplicates: report.duplicates + rows.length - written.length,
        failed: report.failed + batch.length - rows.length,
        errors: [...report.errors, ...listed],
        errorsOmitted: report.errorsOmitted + errors.length - listed.length,
      };
      await this.unit.em.execute(
        'update food_log_import set status = ?, lines = ?, imported = ?, duplicates = ?, failed = ?, errors = ?::jsonb, errors_omitted = ?, format = ?::jsonb, finished_at = ? where id = ?',
        [
          report.status,
          progress.lines,
          progress.imported,
          progress.duplicates,
          progress.failed,
          JSON.stringify(progress.errors),
          progress.errorsOmitted,
          report.format && JSON.stringify(report.format),
          report.finishedAt,
          report.id,
        ],
      );
      return progress;
    });
    Object.assign(report, next);
  }

  /** A line is there already where it was imported before, or where it is one of an export of entries that still exist. */
  private insert(userId: string, rows: readonly ReturnType<typeof rowOf>[]): Promise<{ date: string }[]> {
    return this.unit.em.execute(
      `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, quantity, unit, grams, meal_type, source, logged_at, local_date, created_at, version, import_key, food_id, table_food_id)
       select row.id, ?::uuid, row."foodName", row.calories, row.protein, row.carbs, row.fats, row.quantity, row.unit, row.grams, row."mealType", 'IMPORT', row."loggedAt", row."localDate", now(), 1, row.key,
         (select food.id from food where food.id = row."foodId" and (food.user_id = ?::uuid or food.user_id is null) for key share), row."tableFoodId"
       from jsonb_to_recordset(?::jsonb) as row(id uuid, "exportedId" uuid, "foodName" text, calories int, protein float8, carbs float8, fats float8, quantity float8, unit text, grams float8, "mealType" text, "loggedAt" timestamptz, "localDate" date, key text, "foodId" uuid, "tableFoodId" text)
       where row."exportedId" is null or not exists (select 1 from food_log as own where own.id = row."exportedId" and own.user_id = ?::uuid)
       on conflict do nothing
       returning to_char(local_date, 'YYYY-MM-DD') as date`,
      [userId, userId, JSON.stringify(rows), userId],
    );
  }
}

function rowOf(
  { id: exportedId, localDate, loggedAt, localTime, foodId, ...entry }: CsvLine,
  key: string,
  zone: string,
) {
  const instant = loggedAt ? new Date(loggedAt) : instantOf(localDate ?? '', localTime ?? '12:00', zone);
  return {
    ...entry,
    id: uuidv7(),
    exportedId,
    protein: entry.protein ?? 0,
    carbs: entry.carbs ?? 0,
    fats: entry.fats ?? 0,
    loggedAt: instant.toISOString(),
    localDate: localDate ?? dayOf(instant, zone),
    key,
    // A food that the owner may not read, or that is gone, is left out; the entry itself is whole without it.
    foodId: foodId !== null && isUuid(foodId) ? foodId : null,
    tableFoodId: foodId !== null && foodById(foodId) ? foodId : null,
  };
}
