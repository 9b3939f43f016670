import { LRUCache } from 'lru-cache';

/** What callers have spent in the current minute. Implementations: this one for one process, `spent-costs.redis.ts`. */
export interface SpentCosts {
  /** Adds to what the caller has spent in that minute, also a negative number; resolves with the sum, undefined if it is not known. */
  add(caller: string, minute: number, cost: number): Promise<number | undefined> | number;
  close(): void;
}

const MAX_CALLERS = 100_000;

export class MemorySpentCosts implements SpentCosts {
  // A dropped caller begins at 0 again; there are fewer callers than that in a minute, except in an attack.
  private readonly spent = new LRUCache<string, { minute: number; cost: number }>({ max: MAX_CALLERS });

  add(caller: string, minute: number, cost: number): number {
    const known = this.spent.get(caller);
    if (known && known.minute > minute) return cost; // a late correction of a minute that no longer counts
    const sum = (known?.minute === minute ? known.cost : 0) + cost;
    this.spent.set(caller, { minute, cost: sum });
    return sum;
  }

  close(): void {
    this.spent.clear();
  }
}
