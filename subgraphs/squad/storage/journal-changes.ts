import type { Position } from './journal-tables.ts';

/** Reports of changes between instances. A report may be lost or late: it only says that there is something to read. */
export interface JournalChanges {
  /**
   * @param name the journal, as `<kind>/<id>`
   * @returns the function that unsubscribes; rejects if no reports can be received now
   */
  subscribe(name: string, listener: (position: Position) => void): Promise<() => void>;
  /** Never throws, and does not wait until the report is sent. */
  publish(name: string, position: Position): void;
  /** Calls the listener when reports can be received again, after some may have been lost. */
  onReady(listener: () => void): void;
}
