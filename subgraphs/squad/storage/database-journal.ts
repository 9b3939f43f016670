import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '#server/observability/logger.ts';
import type { JournalKind, JournalListener } from './journal.ts';
import { applied, emptyCopy, statesAfter, type JournalCopy } from './journal-copy.ts';
import { journalTables, START, type Position } from './journal-tables.ts';

/** The next snapshot is made after this many further records, and as many more as the last snapshot contains. */
const SPARE_RECORDS = 500;

/**
 * One journal in PostgreSQL, and a copy of its state. A change is decided on the copy, and stored only if the journal is
 * still at the copy's position; otherwise the copy is brought up to date, and the change is decided again.
 */
export class DatabaseJournal<State, Item extends object> {
  readonly name: string;
  readonly listeners = new Set<JournalListener<State>>();
  /** Listeners, and those that are about to listen. */
  followers = 0;
  isSubscribing = false;
  /** Ends the subscription to the changes of other instances. */
  unsubscribe: (() => void) | undefined;
  private readonly kind: JournalKind<State, Item>;
  private readonly id: string;
  private readonly em: EntityManager;
  private readonly log: Logger;
  private copy: JournalCopy<State>;
  private compactAt = SPARE_RECORDS;
  private pulling: Promise<void> | undefined;
  private nextPull: Promise<void> | undefined;
  private changing: Promise<unknown> = Promise.resolve();

  /** @param em outside any transaction */
  constructor(kind: JournalKind<State, Item>, id: string, em: EntityManager, log: Logger) {
    this.kind = kind;
    this.id = id;
    this.name = `${kind.name}/${id}`;
    this.em = em;
    this.log = log;
    this.copy = emptyCopy(kind, id);
  }

  /** The state as far as this instance has read it. */
  get known(): JournalCopy<State> {
    return this.copy;
  }

  async read(): Promise<State> {
    await this.pull();
    return this.copy.state;
  }

  /**
   * @param onStored called with the new position, before the listeners
   */
  change(decide: (state: State) => readonly Item[], onStored: (position: Position) => void): Promise<State> {
    return this.inTurn(async () => {
      // The copy may be out of date. A decision on an older state is not stored: `append` then returns undefined.
      const early = this.copy.position === START ? [] : decisionOf(decide, this.copy.state);
      if (early.length > 0) {
        const state = await this.append(early, onStored);
        if (state) return state.value;
      }
      for (;;) {
        await this.pull();
        const items = decide(this.copy.state);
        if (items.length === 0) return this.copy.state;
        const state = await this.append(items, onStored);
        if (state) return state.value;
      }
    });
  }

  rewrite(change: (state: State) => State, onStored: (position: Position) => void): Promise<State> {
    return this.inTurn(async () => {
      for (;;) {
        await this.pull();
        const before = this.copy;
        const state = change(before.state);
        if (state === before.state) return state;
        const { kind, id } = this;
        const decided = { kind: kind.name, id, position: before.position };
        const position = await journalTables.rewrite(this.em, decided, kind.compacted(state));
        if (!position) continue;
        onStored(position);
        if (this.copy === before) this.advance({ state, position });
        else await this.pull();
        return state;
      }
    });
  }

  /** Reads what other instances have written. Callers share a read that has not begun yet. */
  pull(): Promise<void> {
    if (this.nextPull) return this.nextPull;
    if (!this.pulling) return this.startPull();
    // A read that runs already may not see what was committed a moment ago.
    return (this.nextPull = this.pulling
      .catch(() => undefined)
      .then(() => {
        this.nextPull = undefined;
        return this.startPull();
      }));
  }

  private startPull(): Promise<void> {
    return (this.pulling = this.readNew().finally(() => (this.pulling = undefined)));
  }

  private async readNew(): Promise<void> {
    const { kind, id } = this;
    for (;;) {
      const before = this.copy;
      const found = await journalTables.read(this.em, kind.name, id, before.position);
      if (this.copy !== before) {
        // A change of this instance was stored meanwhile; the new copy contains the change and everything before it.
        if (found.position.seq <= this.copy.position.seq) return;
        continue;
      }
      if (found.position.seq === before.position.seq && found.position.mark === before.position.mark) return;
      const states = statesAfter(kind, id, before, found);
      const { seq } = found.position;
      const inSnapshot = found.isWhole ? found.records.length - (seq - found.base) : 0;
      this.compactAt = Math.max(found.isWhole ? 0 : this.compactAt, found.base + inSnapshot + SPARE_RECORDS);
      this.copy = { state: states.at(-1) ?? before.state, position: found.position };
      for (const state of states) this.notify(state);
      return;
    }
  }

  /** Undefined if another instance has written meanwhile. */
  private async append(
    items: readonly Item[],
    onStored: (position: Position) => void,
  ): Promise<{ value: State } | undefined> {
    const { kind, id, copy: before } = this;
    const decided = { kind: kind.name, id, position: before.position };
    const jobs = kind.jobsOf?.(before.state, applied(kind, before.state, items));
    const position = await journalTables.append(this.em, decided, items, jobs);
    if (!position) return undefined;
    onStored(position);
    if (this.copy !== before) {
      await this.pull();
      return { value: applied(kind, before.state, items) };
    }
    let { state } = before;
    const states = items.map((item) => (state = kind.apply(state, item)));
    this.copy = { state, position };
    for (const one of states) this.notify(one);
    await this.compact();
    return { value: state };
  }

  /** Makes a snapshot if one is due after a write of another object to this position, such as a committed transaction. */
  async compactAfter({ seq }: Position): Promise<void> {
    if (seq < this.compactAt) return;
    await this.pull();
    await this.compact();
  }

  private async compact(): Promise<void> {
    const { kind, id, copy } = this;
    if (copy.position.seq < this.compactAt) return;
    const records = kind.compacted(copy.state);
    this.compactAt = copy.position.seq + records.length + SPARE_RECORDS;
    const decided = { kind: kind.name, id, position: copy.position };
    await journalTables
      .compact(this.em, decided, records)
      .catch((error: unknown) =>
        this.log.warn({ err: error, journal: this.name }, 'a journal could not be shortened'),
      );
  }

  private advance(copy: JournalCopy<State>): void {
    this.copy = copy;
    this.notify(copy.state);
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.changing.then(work);
    this.changing = turn.catch(() => undefined);
    return turn;
  }

  private notify(state: State): void {
    for (const listener of this.listeners) {
      try {
        listener(state);
      } catch (error) {
        this.log.error({ err: error }, 'a listener of a journal failed');
      }
    }
  }
}

/** Returns no records if the decision fails, because it may succeed on the newest state. */
function decisionOf<State, Item>(decide: (state: State) => readonly Item[], state: State): readonly Item[] {
  try {
    return decide(state);
  } catch {
    return [];
  }
}
