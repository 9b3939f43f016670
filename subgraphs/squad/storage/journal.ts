/**
 * A kind of journal, for example that of squads. The state is computed from the records alone.
 * `apply` returns a new state, or the changed old one if nothing uses older states. It must not throw for a record that
 * does not fit the state, because an earlier record may have been lost with a damaged disk.
 */
export interface JournalKind<State, Item extends object> {
  /** The name of the folder of its journals, or their kind in the database. */
  readonly name: string;
  /** Days after the last record until a journal is removed; undefined: never. */
  readonly keepDays?: number;
  empty(id: string): State;
  apply(state: State, item: Item): State;
  /** The fewest records that lead to `state`, without what the kind does not keep for ever. */
  compacted(state: State): Item[];
  /**
   * The jobs that a change makes necessary. They are stored by the write of its records, so they exist exactly if the records
   * do. With files they are not stored: a start finds them by comparing the state of each journal with an empty one.
   */
  jobsOf?(before: State, after: State): readonly JournalJob[];
}

/** A job that a change of a journal adds. */
export interface JournalJob {
  readonly name: string;
  readonly payload: object;
  readonly maxAttempts: number;
  /** Default: at once. */
  readonly runAt?: Date;
}

/**
 * Called with each new state, in order, once its records are stored durably. If many records are read at once, it may be called
 * with the last state only.
 */
export type JournalListener<State> = (state: State) => void;

export interface Following<State> {
  /** The state at the beginning. The listener is called with each later one. */
  readonly state: State;
  /** The listener is not called afterwards. */
  stop(): void;
}

/** All journals of one kind, by id. A state that `change` or `read` returns is safe: a crash loses nothing of it. */
export interface JournalsOf<State, Item extends object> {
  /** The present state; that of `empty` if the journal has no records. */
  read(id: string): Promise<State>;
  /**
   * Appends the records that `decide` returns for the present state; no other write comes in between. `decide` may be
   * called several times, and its error is thrown. Resolves to the state with the records once they are safe and the
   * listeners of this process were called.
   */
  change(id: string, decide: (state: State) => readonly Item[]): Promise<State>;
  follow(id: string, listener: JournalListener<State>): Promise<Following<State>>;
  /**
   * Replaces all records by those of the state that the function `change` returns, so that everything else is erased. It must
   * not modify the state that it gets. If it returns that state itself, nothing is written. In all other respects this is the same
   * as the method `change`.
   */
  rewrite(id: string, change: (state: State) => State): Promise<State>;
}

/** Implementations: `journal.file.ts` (JSON files of one process), `journal.database.ts` (any number of processes). */
export interface Journals {
  of<State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item>;
  /** The number of listeners; for leak tests and metrics. */
  readonly listeners: number;
  close(): Promise<void>;
}
