import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../observability/logger.ts';
import { Counter, type Metrics } from '../observability/metrics.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { RetentionSetting, RetentionSettings } from './retention-settings.ts';

/** Rows of one batch, which is one transaction: short enough that nobody waits for its locks. */
export const RETENTION_BATCH_ROWS = 1_000;
const PAUSE_MILLIS = 50; // between two batches, for everybody else
const EVERY_MILLIS = 60 * 60 * 1000; // 1 h

/** One kind of rows that are not kept for ever. */
export interface RetentionRule {
  /** For the log and the metric, in small letters and `_`; also by what replicas know that it is the same rule. */
  readonly what: string;
  /** How long a row is kept: by a setting, or for a time of the rule's own. 0 ms: rows that say themselves when they end. */
  readonly kept: RetentionSetting | { readonly millis: number };
  /** Most rows of a batch. Default: `RETENTION_BATCH_ROWS`. */
  readonly batchRows?: number;
  /**
   * Removes one batch of what is older than `before`, in the transaction that is open.
   * @returns how many rows; fewer than a batch: there are no more
   */
  run(unit: UnitOfWork, before: Date): Promise<number>;
}

export interface RetentionOptions {
  rules: readonly RetentionRule[];
  settings: RetentionSettings;
  unitOf(): UnitOfWork;
  /** Whether the service works on a database. Without one each batch runs without a transaction and without a lock. */
  hasDatabase: boolean;
  metrics: Metrics;
  log: Logger;
  /** Milliseconds between the batches of a rule; for tests. Default 50. */
  pauseMillis?: number;
}

/** What removes old rows, at the start and every hour. */
export interface Retention {
  /** Runs all rules now, or waits for the run that is under way. Never rejects. */
  run(): Promise<void>;
  /** Waits for the batch that is under way. */
  stop(): Promise<void>;
}

/**
 * Removes what has been kept long enough. It begins at once, and not after an hour: a service that restarts more often than
 * that would never remove anything.
 *
 * Each batch takes a lock that ends with its transaction, so that replicas never work on the same rule at the same time; who
 * does not get it leaves the rule to the other. A rule that fails is logged and tried again an hour later, the other rules
 * run all the same.
 */
export function startRetention(options: RetentionOptions): Retention {
  const { rules, settings, unitOf, hasDatabase, metrics, log, pauseMillis = PAUSE_MILLIS } = options;
  const stopping = new AbortController();
  const removedRows = new Counter({
    name: 'retention_removed_total',
    help: 'Rows (or files and what belongs to them) that were removed because they had been kept long enough.',
    labelNames: ['what'] as const,
    registers: [metrics.registry],
  });
  const failures = new Counter({
    name: 'retention_failures_total',
    help: 'Runs of a retention rule that failed; it is tried again an hour later.',
    labelNames: ['what'] as const,
    registers: [metrics.registry],
  });

  /** Undefined: another replica is at it. */
  const batch = (rule: RetentionRule, before: Date): Promise<number | undefined> => {
    const unit = unitOf();
    if (!hasDatabase) return rule.run(unit, before);
    return unit.transaction(async () => {
      const [lock] = await unit.em.execute<{ taken: boolean }[]>(
        'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as taken',
        [`retention:${rule.what}`],
      );
      return lock?.taken ? rule.run(unit, before) : undefined;
    });
  };

  const runRule = async (rule: RetentionRule): Promise<void> => {
    const before = boundOf(rule, settings);
    if (!before) return;
    const { batchRows = RETENTION_BATCH_ROWS } = rule;
    let total = 0;
    for (;;) {
      const removed = await batch(rule, before);
      if (removed) removedRows.inc({ what: rule.what }, removed);
      total += removed ?? 0;
      if (removed === undefined || removed < batchRows || stopping.signal.aborted) break;
      await sleep(pauseMillis, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    if (total > 0) log.info({ what: rule.what, rows: total }, 'what was kept long enough has been removed');
  };

  let underWay: Promise<void> | undefined;
  const runAll = async (): Promise<void> => {
    for (const rule of rules) {
      if (stopping.signal.aborted) return;
      try {
        await runRule(rule);
      } catch (error) {
        failures.inc({ what: rule.what });
        log.warn({ err: error, what: rule.what }, 'what was kept long enough could not be removed');
      }
    }
  };
  const run = (): Promise<void> => {
    underWay ??= runAll().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  const hourly = setInterval(() => void run(), EVERY_MILLIS);
  hourly.unref();
  void run();
  return {
    run,
    async stop() {
      clearInterval(hourly);
      stopping.abort();
      await underWay;
    },
  };
}

/** Undefined: for ever. */
function boundOf({ kept }: RetentionRule, settings: RetentionSettings): Date | undefined {
  if (typeof kept === 'object') return new Date(Date.now() - kept.millis);
  const days = settings[kept];
  return days === 0 ? undefined : new Date(Date.now() - days * DAY_MILLIS);
}

const DAY_MILLIS = 24 * 60 * 60 * 1000;

/**
 * Deletes one batch of a table's rows. Rows that a request holds locked are left for the next time.
 * @param where SQL, along an index; @param values of its `?`
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
