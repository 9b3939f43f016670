import { LRUCache } from 'lru-cache';

/** What callers have spent in the current minute. Implementations: below for one process, `spent-costs.redis.ts` for replicas. */
export interface SpentCosts {
  /**
   * Adds a cost, which may be negative, to what the caller has spent in that minute.
   * @returns the new sum; undefined if it is not known, for example of a minute that has passed
   */
  add(caller: string, minute: number, cost: number): Promise<number | undefined> | number | undefined;
  close(): void;
}

const MAX_CALLERS = 100_000;

export class MemorySpentCosts implements SpentCosts {
  // A caller that the cache drops begins at 0 again. Only an attack has more than MAX_CALLERS callers in a minute.
  private readonly spent = new LRUCache<string, { minute: number; cost: number }>({ max: MAX_CALLERS });

  add(caller: string, minute: number, cost: number): number | undefined {
    const known = this.spent.get(caller);
    if (known && known.minute > minute) return undefined; // a late correction, of a minute that no longer counts
    const sum = (known?.minute === minute ? known.cost : 0) + cost;
    this.spent.set(caller, { minute, cost: sum });
    return sum;
  }

  close(): void {
    this.spent.clear();
  }
}
