import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MILLIS, HOUR_MILLIS } from '../durations.ts';
import type { Logger } from '../observability/logger.ts';
import { Counter, type Metrics } from '../observability/metrics.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { RetentionSetting, RetentionSettings } from './retention-settings.ts';

/** Rows of one batch, which is one transaction: short enough that no request waits long for its locks. */
export const RETENTION_BATCH_ROWS = 1_000;
const PAUSE_MILLIS = 50; // between two batches, so that requests can use the database
const EVERY_MILLIS = HOUR_MILLIS;

/** One kind of rows that are removed after a time. */
export interface RetentionRule {
  /** Its name in the log and the metric, in small letters and `_`; also the key of the lock that replicas share. */
  readonly what: string;
  /** How long a row is kept: a setting, or a fixed time. 0 ms: the rows themselves have an end. */
  readonly kept: RetentionSetting | { readonly millis: number };
  /** The most rows of a batch. Default: `RETENTION_BATCH_ROWS`. */
  readonly batchRows?: number;
  /**
   * Removes one batch of rows older than `before`, in the open transaction.
   * @returns the number of rows; fewer than a batch means that none are left
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
 * Removes rows that have been kept long enough. The first run starts at once and not after an hour: a service that restarts
 * more often than every hour would otherwise never remove anything.
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
  private underWay: Promise<void> | undefined;

  constructor(options: RetentionOptions) {
    this.options = options;
    const registers = [options.metrics.registry];
    const labelNames = ['what'] as const;
    this.removedRows = new Counter({
      name: 'retention_removed_total',
      help: 'Rows (or files and what belongs to them) that were removed because they had been kept long enough.',
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
    this.underWay ??= this.runAll().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  async stop(): Promise<void> {
    clearInterval(this.hourly);
    this.stopping.abort();
    await this.underWay;
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

  /** Undefined: another replica is working on the rule. */
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

/** Undefined: unlimited. */
function boundOf({ kept }: RetentionRule, settings: RetentionSettings): Date | undefined {
  if (typeof kept === 'object') return new Date(Date.now() - kept.millis);
  const days = settings[kept];
  return days === 0 ? undefined : new Date(Date.now() - days * DAY_MILLIS);
}

/**
 * Deletes one batch of a table's rows. Rows that a request has locked are left for the next run.
 * @param where SQL, along an index; @param values the values of its `?`
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
