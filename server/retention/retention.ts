import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MILLIS, HOUR_MILLIS } from '../durations.ts';
import type { Logger } from '../observability/logger.ts';
import { Counter, type Metrics } from '../observability/metrics.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { RetentionSetting, RetentionSettings } from './retention-settings.ts';

/** Rows in one batch. A batch is one transaction, so small that no request waits long for its locks. */
export const RETENTION_BATCH_ROWS = 1_000;
const PAUSE_MILLIS = 50; // between two batches, so that requests can use the database
const EVERY_MILLIS = HOUR_MILLIS;

/** One kind of rows that are removed when they are old. */
export interface RetentionRule {
  /** The rule's name in the log and the metric, in small letters and `_`; also the key of the lock that replicas share. */
  readonly what: string;
  /** How long a row is kept: a setting, or a fixed time. 0 ms if the rows themselves contain the time of their end. */
  readonly kept: RetentionSetting | { readonly millis: number };
  /** The maximum number of rows per batch. Default: `RETENTION_BATCH_ROWS`. */
  readonly batchRows?: number;
  /**
   * Removes one batch of rows older than `before`, in the open transaction.
   * @returns the number of removed rows; if it is smaller than a batch, there are no more old rows
   */
  run(unit: UnitOfWork, before: Date): Promise<number>;
}

interface RetentionOptions {
  rules: readonly RetentionRule[];
  settings: RetentionSettings;
  unitOf(): UnitOfWork;
  /** Whether the service uses a database. Without one, batches run without transactions and locks. */
  hasDatabase: boolean;
  metrics: Metrics;
  log: Logger;
  /** Milliseconds between the batches of a rule; for tests. Default 50. */
  pauseMillis?: number;
}

/** Removes old rows at the start and every hour. */
export interface Retention {
  /** Runs all rules now, or waits for the current run. Never rejects. */
  run(): Promise<void>;
  /** Waits for the current batch. */
  stop(): Promise<void>;
}

/**
 * Removes old rows, now and every hour. The first run starts at once, because otherwise a service that restarts more often
 * than every hour would never remove anything.
 *
 * Each batch takes a lock until the end of its transaction, so that no two replicas work on the same rule at the same time; a
 * replica that does not get the lock skips the rule. If a rule fails, the failure is logged, the rule is tried again an hour
 * later, and the other rules still run.
 */
export function startRetention(options: RetentionOptions): Retention {
  const runs = new RetentionRuns(options);
  void runs.run();
  return runs;
}

class RetentionRuns implements Retention {
  private readonly options: RetentionOptions;
  private readonly removedRows: Counter<'what'>;
  private readonly failures: Counter<'what'>;
  private readonly stopping = new AbortController();
  private readonly hourly: NodeJS.Timeout;
  private currentRun: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.options = options;
    const registers = [options.metrics.registry];
    const labelNames = ['what'] as const;
    this.removedRows = new Counter({
      name: 'retention_removed_total',
      help: 'Old rows (or files with their rows) that were removed.',
      labelNames,
      registers,
    });
    this.failures = new Counter({
      name: 'retention_failures_total',
      help: 'Runs of a retention rule that failed; it is tried again an hour later.',
      labelNames,
      registers,
    });
    this.hourly = setInterval(() => void this.run(), EVERY_MILLIS);
    this.hourly.unref();
  }

  run(): Promise<void> {
    this.currentRun ??= this.runAll().finally(() => {
      this.currentRun = undefined;
    });
    return this.currentRun;
  }

  async stop(): Promise<void> {
    clearInterval(this.hourly);
    this.stopping.abort();
    await this.currentRun;
  }

  private async runAll(): Promise<void> {
    const { rules, log } = this.options;
    for (const rule of rules) {
      if (this.stopping.signal.aborted) return;
      try {
        await this.runRule(rule);
      } catch (error) {
        this.failures.inc({ what: rule.what });
        log.warn({ err: error, what: rule.what }, 'old rows could not be removed');
      }
    }
  }

  private async runRule(rule: RetentionRule): Promise<void> {
    const { settings, log, pauseMillis = PAUSE_MILLIS } = this.options;
    const { signal } = this.stopping;
    const before = boundOf(rule, settings);
    if (!before) return;
    const { what, batchRows = RETENTION_BATCH_ROWS } = rule;
    let total = 0;
    for (;;) {
      const removed = await this.runBatch(rule, before);
      if (removed) this.removedRows.inc({ what }, removed);
      total += removed ?? 0;
      if (removed === undefined || removed < batchRows || signal.aborted) break;
      await sleep(pauseMillis, undefined, { signal }).catch(() => undefined);
    }
    if (total > 0) log.info({ what, rows: total }, 'old rows have been removed');
  }

  /** The number of removed rows; undefined if another replica is working on the rule. */
  private async runBatch(rule: RetentionRule, before: Date): Promise<number | undefined> {
    const unit = this.options.unitOf();
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
