import { conflict, type PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { LEASE_EXPIRED, LEASE_SECONDS } from './end-interrupted-imports.ts';
import { FoodLogImport } from './food-log-import.entity.ts';
import type { FoodLogImportShape } from './imports.shapes.ts';

/**
 * The SQL condition for the row of an import, until a repetition or a job has ended this run of it. Its parameters are the ids
 * of the import and of the run.
 */
const OF_THIS_RUN = `id = ? and run_id = ? and status = 'RUNNING'`;

/** The report of an import that this request writes. */
export type RunningImport = FoodLogImportShape & { runId: string };

type Progress = Pick<
  FoodLogImportShape,
  'lines' | 'imported' | 'duplicates' | 'failed' | 'errors' | 'errorsOmitted'
>;

/**
 * The rows of imports. A request that imports a file is one run of its import. If it does not renew its lease, another request
 * can run the same import again; then the first one can no longer write.
 */
export class ImportRuns {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Stores a new import, or begins a failed or interrupted one again.
   * @throws CONFLICT if the import is running or done, or is an import of another user
   */
  async begin(userId: string, id: string): Promise<RunningImport> {
    const startedAt = new Date();
    const runId = uuidv7();
    const begun = await this.unit.em.execute<unknown[]>(
      `insert into food_log_import (id, user_id, status, lines, imported, duplicates, failed, errors, started_at, run_id)
       values (?, ?, 'RUNNING', 0, 0, 0, 0, '[]', ?, ?)
       on conflict (id) do update set status = excluded.status, lines = 0, imported = 0, duplicates = 0, failed = 0, errors = excluded.errors,
         errors_omitted = 0, format = null, started_at = excluded.started_at, finished_at = null, run_id = excluded.run_id, renewed_at = now()
       where food_log_import.user_id = excluded.user_id
         and (food_log_import.status = 'FAILED' or (food_log_import.status = 'RUNNING' and food_log_import.${LEASE_EXPIRED}))
       returning id`,
      [id, userId, startedAt, runId],
    );
    if (begun.length === 0) throw await this.refusal(userId, id);
    return {
      id,
      runId,
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
   * Renews the lease of the import. The request calls it at an interval, because a slow client may need longer for a batch of
   * lines than the lease lasts. A failure is only logged.
   */
  async renew({ id, runId }: RunningImport): Promise<void> {
    try {
      await this.unit.run('update food_log_import set renewed_at = now() where id = ? and run_id = ?', [
        id,
        runId,
      ]);
    } catch (error) {
      this.unit.log.warn({ err: error }, 'the lease of an import was not renewed');
    }
  }

  /**
   * Stores the progress, and renews the lease. Call it in the transaction that writes the entries: its error rolls them back.
   * @throws CONFLICT if this run was ended
   */
  async record({ id, runId, format }: RunningImport, progress: Progress): Promise<void> {
    const recorded = await this.unit.em.execute<unknown[]>(
      `update food_log_import set lines = ?, imported = ?, duplicates = ?, failed = ?, errors = ?::jsonb, errors_omitted = ?, format = ?::jsonb, renewed_at = now() where ${OF_THIS_RUN} returning id`,
      [
        progress.lines,
        progress.imported,
        progress.duplicates,
        progress.failed,
        JSON.stringify(progress.errors),
        progress.errorsOmitted,
        format && JSON.stringify(format),
        id,
        runId,
      ],
    );
    if (recorded.length === 0) throw interrupted(id);
  }

  /** Ends the import. @throws CONFLICT as `record` */
  async end(report: RunningImport, status: 'DONE' | 'FAILED'): Promise<void> {
    const finishedAt = new Date().toISOString();
    const ended = await this.unit.em.execute<unknown[]>(
      `update food_log_import set status = ?, format = ?::jsonb, finished_at = ? where ${OF_THIS_RUN} returning id`,
      [status, report.format && JSON.stringify(report.format), finishedAt, report.id, report.runId],
    );
    if (ended.length === 0) throw interrupted(report.id);
    Object.assign(report, { status, finishedAt });
  }

  private async refusal(userId: string, id: string): Promise<PlatformError> {
    const own = await this.unit.em.findOne(FoodLogImport, { id, userId }, { disableIdentityMap: true });
    if (own?.status === 'DONE')
      return conflict(`The import "${id}" is done; read its result with GET /log/imports/${id}.`);
    if (own)
      return conflict(
        `The import "${id}" is running. If it was interrupted, it can be repeated ${LEASE_SECONDS} seconds after the interruption.`,
      );
    return conflict(`There already is an import "${id}"; choose another importId.`);
  }
}

const interrupted = (id: string) =>
  conflict(`The import "${id}" was interrupted for too long and has been ended; send the file again.`);
