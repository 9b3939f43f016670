import type { JournalKind } from '../../../subgraphs/squad/storage/journal.ts';

/**
 * A kind of journal whose state is a list of numbers, in the order in which they were added. Compaction keeps the
 * last 100 numbers.
 */
export const numbers: JournalKind<readonly number[], { n: number } | { all: readonly number[] }> = {
  name: 'numbers',
  keepDays: 1,
  empty: () => [],
  apply: (list, item) => ('all' in item ? item.all : [...list, item.n]),
  compacted: (list) => [{ all: list.slice(-100) }],
};

interface Entry {
  readonly name: string;
  /** The number of entries before this one when the change that adds it was decided. */
  readonly before: number;
}

/** A kind of journal that keeps all entries. */
export const entries: JournalKind<readonly Entry[], Entry> = {
  name: 'entries',
  empty: () => [],
  apply: (list, entry) => [...list, entry],
  compacted: (list) => [...list],
};
