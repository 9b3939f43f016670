import type { Viewer } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import { FastHistogram } from '#server/observability/fast-histogram.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { callerOf } from '#server/rest/idempotency.ts';
import { ipKeyGenerator } from 'express-rate-limit';
import type { RouterRules } from '../router-file/router-file.ts';
import { MemorySpentCosts, type SpentCosts } from './spent-costs.ts';

const MINUTE_MILLIS = 60_000;
/** Without a budget, costs are computed for one of 64 operations only, for the metrics. */
const SAMPLE = 64;
const BUCKETS = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000];

interface Caller {
  readonly viewer: Viewer;
  readonly address: string;
}

/** A charged operation. `settle` replaces its estimated cost by the actual one. */
export interface Charge {
  readonly refusal: PlatformError | undefined;
  settle(actual: number): void;
}

/**
 * Counts what operations cost, and refuses those of a caller who has spent the budget of the minute. An operation is
 * charged with its estimate before it runs, so that many at once cannot exceed the budget, and afterwards with its actual
 * cost instead.
 */
export class CostBudgets {
  private readonly rules: RouterRules['cost'];
  private readonly spent: SpentCosts;
  private readonly costs: FastHistogram<'kind'>;
  private unmeasured = 0;

  constructor(rules: RouterRules['cost'], spent: SpentCosts, { registry }: Pick<Metrics, 'registry'>) {
    this.rules = rules;
    this.spent = spent;
    this.costs = new FastHistogram({
      name: 'graph_operation_cost',
      help: `Cost of operations: estimated before they run, and actual, by the answer. Of all operations with a budget (ROUTER_FILE), else of one in ${SAMPLE}.`,
      labelNames: ['kind'] as const,
      buckets: BUCKETS,
      registers: [registry],
    });
  }

  static async open(
    rules: RouterRules['cost'],
    settings: RedisSettings,
    { metrics, log }: { metrics: Metrics; log: Logger },
  ): Promise<CostBudgets> {
    const { redisUrl } = settings;
    if (redisUrl === undefined || !hasBudget(rules))
      return new CostBudgets(rules, new MemorySpentCosts(), metrics);
    // Loaded only if needed, because the Redis client consists of about 650 files.
    const { RedisSpentCosts } = await import('./spent-costs.redis.ts');
    return new CostBudgets(rules, await RedisSpentCosts.open({ ...settings, redisUrl }, log), metrics);
  }

  /** Whether the next operation is charged or measured. Most are not, if there is no budget. */
  isDue(): boolean {
    if (hasBudget(this.rules)) return true;
    this.unmeasured = (this.unmeasured + 1) % SAMPLE;
    return this.unmeasured === 0;
  }

  async charge(caller: Caller, estimate: number): Promise<Charge> {
    const minute = Math.floor(Date.now() / MINUTE_MILLIS);
    const budget = this.budgetOf(caller.viewer);
    const key = keyOf(caller);
    const sum = budget === undefined ? undefined : await this.spent.add(key, minute, estimate);
    const settle = (actual: number): void => {
      this.costs.of('estimated').observe(estimate);
      this.costs.of('actual').observe(actual);
      if (budget !== undefined) void this.spent.add(key, minute, actual - estimate);
    };
    if (budget === undefined || sum === undefined || sum <= budget) return { refusal: undefined, settle };
    void this.spent.add(key, minute, -estimate); // it did not run
    return { refusal: spentAll(sum - estimate, estimate, budget), settle: () => undefined };
  }

  /** Charges a subscription for its beginning. It begins even if the budget is spent, and its events are not charged. */
  chargeSubscription(caller: Caller, estimate: number): void {
    if (this.budgetOf(caller.viewer) === undefined) return;
    void this.spent.add(keyOf(caller), Math.floor(Date.now() / MINUTE_MILLIS), estimate);
  }

  close(): void {
    this.spent.close();
  }

  /** Services of the platform have no budget, because they act for callers who were charged already. */
  private budgetOf({ kind }: Viewer): number | undefined {
    const { budgetPerMinute, anonymousBudgetPerMinute } = this.rules;
    if (kind === 'service') return undefined;
    if (kind !== 'anonymous') return budgetPerMinute;
    return anonymousBudgetPerMinute ?? (budgetPerMinute === undefined ? undefined : budgetPerMinute / 2);
  }
}

const hasBudget = ({ budgetPerMinute, anonymousBudgetPerMinute }: RouterRules['cost']): boolean =>
  budgetPerMinute !== undefined || anonymousBudgetPerMinute !== undefined;

const keyOf = ({ viewer, address }: Caller): string => callerOf(viewer, ipKeyGenerator(address));

function spentAll(spent: number, cost: number, budget: number): PlatformError {
  const retryAfterSeconds = Math.max(1, Math.ceil((MINUTE_MILLIS - (Date.now() % MINUTE_MILLIS)) / 1_000));
  return new PlatformError(
    'RATE_LIMITED',
    cost > budget
      ? `The operation costs ${cost}, but a caller may spend ${budget} in a minute: ask for shorter lists, or for fewer fields.`
      : `The operations of this minute have cost ${spent} of ${budget}, and this one costs up to ${cost}; try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}
