import type { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { requireUser } from '#server/auth/viewer.ts';
import { WITHOUT_FORMULAS } from '#server/csv/formulas.ts';
import { presented } from '#server/database/columns.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { streamOf } from '#server/streams.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { wholeText } from '#server/whole-text.ts';
import { requireOwner } from '../access.ts';
import { foodById } from '../foods/food-table.ts';
import { dayOf, instantOf, validZone } from '#server/calendar.ts';
import { DayTotals, MAX_ENTRIES_OF_DAY } from '../days/day-totals.ts';
import { foodLogKeyOf, foodLogPage, type FoodLogKey } from '../food-logs/food-log-pages.ts';
import type { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import { CSV_COLUMNS } from './csv-columns.ts';
import { readCsvLines, type CsvLine, type LineOrErrors } from './csv-lines.ts';
import { FoodLogImport, type LineError } from './food-log-import.entity.ts';
import { ImportRuns, type RunningImport } from './import-runs.ts';
import { CsvOptionsShape, FoodLogImportShape, type ImportOptions } from './imports.shapes.ts';

/** The number of lines that are written in one transaction. */
const BATCH = 1_000;
/** After an import of at least this number of lines, the statistics of the table are renewed. */
const ANALYZE_FROM_LINES = 5_000;
/** The maximum number of errors in the report; the others are only counted. */
const MAX_ERRORS = 1_000;
const EXPORT_PAGE = 1_000;
/** The interval at which a request renews the lease of its import. */
const RENEWAL_MILLIS = 5_000; // 5 s

/** The days of an export, both included; absent: without a bound. */
interface Range {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** Imports and exports of food logs as CSV. */
export class Imports {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly runs: ImportRuns;

  constructor(unit: UnitOfWork, profiles: Profiles) {
    this.unit = unit;
    this.profiles = profiles;
    this.runs = new ImportRuns(unit);
  }

  /**
   * Imports lines while they arrive: a thousand lines and the progress so far are one transaction. A wrong line is reported
   * and not imported. If the stream breaks off, the lines so far stay; the same file sent again, also with the same
   * `importId`, adds the rest, because no line is imported twice.
   * @throws CONFLICT if `importId` is that of an import that is running or done, or that of another user; the errors of
   * `readCsvLines`
   */
  async run(csv: Readable, { importId, timezone, ...options }: ImportOptions): Promise<FoodLogImportShape> {
    const { userId } = requireUser(this.unit.viewer);
    if (importId && !isUuid(importId)) throw invalid('importId', 'expected a UUID');
    const format = validated(CsvOptionsShape, options);
    const zone = validZone(timezone) ?? (await this.profiles.of(this.unit)).timezone;
    const report = await this.runs.begin(userId, importId ?? uuidv7());
    const renewal = setInterval(() => void this.runs.renew(report), RENEWAL_MILLIS);
    let batch: LineOrErrors[] = [];
    const writeBatch = (): Promise<void> => {
      const full = batch;
      batch = []; // before the write, so that a batch that fails is not written again below
      return this.write(report, full, zone);
    };
    const lines = readCsvLines(csv, format, (decided) => {
      report.format = decided;
    });
    try {
      for await (const read of lines) {
        batch.push(read);
        if (batch.length === BATCH) await writeBatch();
      }
      await writeBatch();
      await this.runs.end(report, 'DONE');
    } catch (error) {
      // If this fails, too, for example because the database does not answer, the job `end_interrupted_imports` ends the import.
      await writeBatch().catch((cause: unknown) =>
        this.unit.log.warn({ err: cause }, 'the last lines of a failed import were not written'),
      );
      await this.runs
        .end(report, 'FAILED')
        .catch((cause: unknown) => this.unit.log.warn({ err: cause }, 'an import was not ended'));
      throw error;
    } finally {
      clearInterval(renewal);
    }
    if (report.imported >= ANALYZE_FROM_LINES) await this.analyze();
    const { runId: _runId, ...answer } = report;
    return answer;
  }

  /** @throws NOT_FOUND also for an import of another user */
  async get(id: string): Promise<FoodLogImportShape> {
    const { userId } = requireUser(this.unit.viewer);
    const found = isUuid(id) ? await this.unit.em.findOne(FoodLogImport, { id, userId }) : null;
    if (!found) throw notFound('import', id);
    return presented(FoodLogImportShape, found);
  }

  /** The food log as a stream in bounded memory, the oldest entry first. @throws NOT_FOUND for another user */
  async export(userId: string, range: Range): Promise<Readable> {
    const owner = requireOwner(this.unit.viewer, userId);
    const csv = stringify({ header: true, columns: [...CSV_COLUMNS], ...WITHOUT_FORMULAS });
    return streamOf(this.rows(owner, range), [csv]);
  }

  /** The same as one text, for the graph. @throws NOT_FOUND for another user; PAYLOAD_TOO_LARGE above 8 MiB */
  async exportText(userId: string, range: Range): Promise<string> {
    const path = this.unit.publicPath(`/history/${userId}/export.csv`);
    return wholeText(
      await this.export(userId, range),
      this.unit,
      `These entries are more than 8 MiB of CSV; name a shorter range of days with from and to, or download them with GET ${path}.`,
    );
  }

  private async *rows(owner: string, range: Range): AsyncGenerator<FoodLogShape> {
    let after: FoodLogKey | undefined;
    for (;;) {
      const page = await foodLogPage(this.unit, owner, { ...range, after, limit: EXPORT_PAGE });
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < EXPORT_PAGE) return;
      after = foodLogKeyOf(last);
    }
  }

  /** Renews the statistics of the table. Until then, the database plans reads by the old ones. */
  private async analyze(): Promise<void> {
    try {
      await this.unit.em.execute('analyze food_log');
    } catch (error) {
      this.unit.log.warn({ err: error }, 'the statistics of the food log were not renewed');
    }
  }

  /**
   * Writes a batch. The shapes refuse values that cannot be stored. If the database still refuses one, the batch is halved
   * until the refused line is found, so that only this line fails.
   */
  private async write(report: RunningImport, batch: readonly LineOrErrors[], zone: string): Promise<void> {
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

  /**
   * Writes a batch together with the progress, so that in every report `lines` is the sum of imported, duplicate and failed
   * lines.
   */
  private async writeWhole(
    report: RunningImport,
    batch: readonly LineOrErrors[],
    zone: string,
  ): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    const rows = batch.flatMap((read) =>
      'entry' in read ? [{ line: read.line, row: rowOf(read.entry, read.key, zone) }] : [],
    );
    const next = await this.unit.transaction(async () => {
      const inserted =
        rows.length === 0
          ? []
          : await this.insert(
              userId,
              rows.map(({ row }) => row),
            );
      const refused = await this.removeExcess(userId, inserted);
      const errors = [
        ...batch.flatMap((read) => ('entry' in read ? [] : read.errors)),
        ...rows.flatMap(({ line, row }) => (refused.has(row.id) ? [tooManyOfDay(line, row.localDate)] : [])),
      ].toSorted((one, other) => one.line - other.line);
      const listed = errors.slice(0, MAX_ERRORS - report.errors.length);
      const progress = {
        lines: report.lines + batch.length,
        imported: report.imported + inserted.length - refused.size,
        duplicates: report.duplicates + rows.length - inserted.length,
        failed: report.failed + batch.length - rows.length + refused.size,
        errors: [...report.errors, ...listed],
        errorsOmitted: report.errorsOmitted + errors.length - listed.length,
      };
      await this.runs.record(report, progress);
      return progress;
    });
    Object.assign(report, next);
  }

  /**
   * If a day has too many entries, removes as many of the inserted ones, the last ones first, and computes its sums again.
   * Returns the ids of the removed entries.
   */
  private async removeExcess(
    userId: string,
    inserted: readonly InsertedEntry[],
  ): Promise<ReadonlySet<string>> {
    const totals = new DayTotals(this.unit);
    const excess = await totals.excess(
      userId,
      inserted.map(({ date }) => date),
    );
    const ofDay = Map.groupBy(inserted, ({ date }) => date);
    const ids = [...excess].flatMap(([date, count]) =>
      (ofDay.get(date) ?? []).slice(-count).map(({ id }) => id),
    );
    if (ids.length === 0) return new Set();
    await this.unit.run('delete from food_log where id = any(?::uuid[])', [ids]);
    await totals.sumUp(userId, excess.keys());
    return new Set(ids);
  }

  /**
   * Inserts entries, except for lines that were imported before, and for lines of an export whose entry still exists.
   * Returns the inserted ones.
   */
  private insert(userId: string, rows: readonly ReturnType<typeof rowOf>[]): Promise<InsertedEntry[]> {
    return this.unit.em.execute(
      `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, quantity, unit, grams, meal_type, source, logged_at, local_date, created_at, version, import_key, food_id, table_food_id)
       select row.id, ?::uuid, row."foodName", row.calories, row.protein, row.carbs, row.fats, row.quantity, row.unit, row.grams, row."mealType", 'IMPORT', row."loggedAt", row."localDate", now(), 1, row.key,
         (select food.id from food where food.id = row."foodId" and (food.user_id = ?::uuid or food.user_id is null) for key share), row."tableFoodId"
       from jsonb_to_recordset(?::jsonb) as row(id uuid, "exportedId" uuid, "foodName" text, calories int, protein float8, carbs float8, fats float8, quantity float8, unit text, grams float8, "mealType" text, "loggedAt" timestamptz, "localDate" date, key text, "foodId" uuid, "tableFoodId" text)
       where row."exportedId" is null or not exists (select 1 from food_log as own where own.id = row."exportedId" and own.user_id = ?::uuid)
       on conflict do nothing
       returning id, to_char(local_date, 'YYYY-MM-DD') as date`,
      [userId, userId, JSON.stringify(rows), userId],
    );
  }
}

interface InsertedEntry {
  id: string;
  date: string;
}

const tooManyOfDay = (line: number, date: string): LineError => ({
  line,
  column: null,
  message: `the day ${date} already has ${MAX_ENTRIES_OF_DAY} entries, the most that a day can have`,
});

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
    // A reference that is neither a UUID nor a food of the table is omitted. `insert` also omits the UUID of a food that
    // does not exist, or that the owner may not read.
    foodId: foodId !== null && isUuid(foodId) ? foodId : null,
    tableFoodId: foodId !== null && foodById(foodId) ? foodId : null,
  };
}
