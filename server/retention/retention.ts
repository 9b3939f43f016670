import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DAY_MILLIS } from '../durations.ts';
import { jobOf, type AnyJob } from '../jobs/job.ts';
import type { Logger } from '../observability/logger.ts';
import { Counter, type Metrics } from '../observability/metrics.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { RetentionSetting, RetentionSettings } from './retention-settings.ts';

/** Rows in one batch. A batch is one transaction, so small that no request waits long for its locks. */
export const RETENTION_BATCH_ROWS = 1_000;
const PAUSE_MILLIS = 50; // between two batches, so that requests can use the database

const defineJob = jobOf<object>();

interface AnyRetentionRule {
  /** The rule's name in the log and the metric, in small letters and `_`; also the key of the lock that replicas share. */
  readonly what: string;
  /** How long a row is kept: a setting, or a fixed time. 0 ms if the rows themselves contain the time of their end. */
  readonly kept: RetentionSetting | { readonly millis: number };
}

/** One kind of rows that are removed when they are old. */
export interface RowRetentionRule extends AnyRetentionRule {
  /** The maximum number of rows per batch. Default: `RETENTION_BATCH_ROWS`. */
  readonly batchRows?: number;
  /**
   * Removes one batch of rows older than `before`, in the open transaction. Files are deleted after the commit
   * (`unit.afterCommit`), because PostgreSQL ends a transaction that waits 30 s for a slow file storage.
   * @returns the number of removed rows; if it is smaller than a batch, there are no more old rows
   */
  run(unit: UnitOfWork, before: Date): Promise<number>;
}

/** Files that are removed when they are old. */
export interface FileRetentionRule extends AnyRetentionRule {
  /**
   * Removes files that were stored before `before`, without a transaction. Two replicas may do so at the same time, because
   * the deletion of a file that is deleted already has no effect.
   * @returns the number of removed files
   */
  removeFiles(run: RetentionRun, before: Date): Promise<number>;
}

export type RetentionRule = RowRetentionRule | FileRetentionRule;

interface RetentionOptions {
  settings: RetentionSettings;
  /** Whether the service uses a database. Without one, batches run without transactions and locks. */
  hasDatabase: boolean;
  metrics: Metrics;
  log: Logger;
  /** Milliseconds between the batches of a rule; for tests. Default 50. */
  pauseMillis?: number;
}

/** The run of one rule. */
export interface RetentionRun {
  unitOf(): UnitOfWork;
  /** Aborts at a stop: the run ends after its current batch. */
  signal: AbortSignal;
}

/** Removes old rows, one rule at a time. */
export class Retention {
  private readonly options: RetentionOptions;
  private readonly removedRows: Counter<'what'>;
  private readonly failures: Counter<'what'>;

  constructor(options: RetentionOptions) {
    this.options = options;
    const registers = [options.metrics.registry];
    const labelNames = ['what'] as const;
    this.removedRows = new Counter({
      name: 'retention_removed_total',
      help: 'Old rows (or files) that were removed.',
      labelNames,
      registers,
    });
    this.failures = new Counter({
      name: 'retention_failures_total',
      help: 'Attempts at a retention rule that failed.',
      labelNames,
      registers,
    });
  }

  /**
   * The hourly job that runs all rules, one after the other, so that most of the database's time is for requests. If a rule
   * fails, the others still run; the next attempt runs all of them again.
   */
  job(rules: readonly RetentionRule[]): AnyJob<object> {
    // An alert sees the first failure only if the counter was 0 before.
    for (const { what } of rules) this.failures.inc({ what }, 0);
    return defineJob({
      name: 'remove_old_rows',
      payload: z.object({}),
      maxAttempts: 3,
      schedule: 'hour',
      run: async (_payload, { unitOf, signal }) => {
        const failures: string[] = [];
        for (const rule of rules) {
          if (signal.aborted) return;
          try {
            await this.run(rule, { unitOf, signal });
          } catch (error) {
            this.options.log.warn({ err: error, what: rule.what }, 'old rows could not be removed');
            failures.push(`${rule.what}: ${error instanceof Error ? error.message : String(error)}`);
          }
        }
        if (failures.length > 0) throw new Error(failures.join('; '));
      },
    });
  }

  /**
   * Removes all rows or files of a rule that are old. Each batch of rows takes a lock until the end of its transaction, so that
   * no two replicas work on the same rule at the same time; a replica that does not get the lock leaves the rest to the other
   * one.
   */
  async run(rule: RetentionRule, run: RetentionRun): Promise<void> {
    const { settings, log } = this.options;
    const before = boundOf(rule, settings);
    if (!before) return;
    const { what } = rule;
    try {
      if ('removeFiles' in rule) {
        const files = await rule.removeFiles(run, before);
        this.removedRows.inc({ what }, files);
        if (files > 0) log.info({ what, files }, 'old files have been removed');
      } else {
        const rows = await this.removeInBatches(rule, before, run);
        if (rows > 0) log.info({ what, rows }, 'old rows have been removed');
      }
    } catch (error) {
      this.failures.inc({ what });
      throw error;
    }
  }

  /** Returns the number of removed rows. */
  private async removeInBatches(
    rule: RowRetentionRule,
    before: Date,
    { unitOf, signal }: RetentionRun,
  ): Promise<number> {
    const { pauseMillis = PAUSE_MILLIS } = this.options;
    const { what, batchRows = RETENTION_BATCH_ROWS } = rule;
    let total = 0;
    for (;;) {
      const removed = await this.runBatch(rule, before, unitOf());
      if (removed) this.removedRows.inc({ what }, removed);
      total += removed ?? 0;
      if (removed === undefined || removed < batchRows || signal.aborted) return total;
      await sleep(pauseMillis, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The number of removed rows; undefined if another replica is working on the rule. */
  private async runBatch(
    rule: RowRetentionRule,
    before: Date,
    unit: UnitOfWork,
  ): Promise<number | undefined> {
    if (!this.options.hasDatabase) return rule.run(unit, before);
    return unit.transaction(async () => {
      const [lock] = await unit.em.execute<{ taken: boolean }[]>(
        'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken',
        [`retention:${rule.what}`],
      );
      return lock?.taken ? rule.run(unit, before) : undefined;
    });
  }
}

/** The time before which rows are old; undefined if they are kept for ever. */
function boundOf({ kept }: RetentionRule, settings: RetentionSettings): Date | undefined {
  if (typeof kept === 'object') return new Date(Date.now() - kept.millis);
  const days = settings[kept];
  return days === 0 ? undefined : new Date(Date.now() - days * DAY_MILLIS);
}

/**
 * Deletes one batch of a table's rows. Rows that a request has locked are deleted in a later run.
 * @param where SQL for which there is an index
 * @param values the values of the `?` in `where`
 */
export async function removeRows(
  unit: UnitOfWork,
  table: string,
  where: string,
  values: readonly unknown[],
): Promise<number> {
  const removed = await unit.em.execute<unknown[]>(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${where} limit ${RETENTION_BATCH_ROWS} for update skip locked
     )) returning 1`,
    [...values],
  );
  return removed.length;
}
