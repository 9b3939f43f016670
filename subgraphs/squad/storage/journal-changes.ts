import type { Position } from './journal-tables.ts';

/** Reports of changes between instances. A report may be lost or late: it only says that there is something to read. */
export interface JournalChanges {
  /** `name`: the kind of journal. Resolves to the function that unsubscribes. Rejects if no reports can be received now. */
  subscribe(name: string, listener: (position: Position) => void): Promise<() => void>;
  /** Never throws, and waits for nothing. */
  publish(name: string, position: Position): void;
  /** Calls the listener when reports can be received again, after some may have been lost. */
  onReady(listener: () => void): void;
}
