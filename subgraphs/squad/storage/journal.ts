/**
 * One kind of thing whose whole state follows from its records, e.g. a squad from what happened in it.
 * `apply` makes a new state, or changes the one given where nobody keeps older ones; it must bear a record that no
 * longer makes sense, because one before it may have been lost with a damaged disk.
 */
export interface JournalKind<State, Item extends object> {
  /** Names its folder, or the part of its keys. */
  readonly name: string;
  /** Days after the last record until a journal is forgotten; undefined: never. */
  readonly keepDays?: number;
  empty(id: string): State;
  apply(state: State, item: Item): State;
  /** The fewest records that lead to the same state; what they leave out is forgotten. */
  compacted(state: State): Item[];
}

/** Called with each new state, in order, once it is safe; several records at once may make one call. */
export type JournalListener<State> = (state: State) => void;

export interface Following<State> {
  /** The state before the first one that the listener is called with. */
  readonly state: State;
  /** No call comes after it. */
  stop(): void;
}

/** All journals of one kind, by id. What `change` and `read` give is safe: a crash at any moment loses nothing of it. */
export interface JournalsOf<State, Item extends object> {
  /** The present state; that of `empty` where nothing was ever written. */
  read(id: string): Promise<State>;
  /**
   * Appends what `decide` makes of the present state; nobody else writes in between. `decide` may be called several
   * times, and what it throws is thrown. Resolves to the state with those records once they are safe and
   * the listeners of this process are told.
   */
  change(id: string, decide: (state: State) => readonly Item[]): Promise<State>;
  follow(id: string, listener: JournalListener<State>): Promise<Following<State>>;
  /**
   * Writes what `change` makes of the present state in the place of all records: whatever they told beyond it is gone
   * for good. Otherwise as `change`; an older state that a listener still holds stays as it was.
   */
  rewrite(id: string, change: (state: State) => State): Promise<State>;
}

/** Implementations: `journal.file.ts` (JSON files of one process), `journal.redis.ts` (shared by any number). */
export interface Journals {
  of<State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item>;
  /** Listeners now; a figure for leak tests and metrics. */
  readonly listeners: number;
  close(): Promise<void>;
}
