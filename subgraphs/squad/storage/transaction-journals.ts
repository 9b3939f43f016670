import type { EntityManager } from '@mikro-orm/postgresql';
import type { JournalKind, JournalsOf } from './journal.ts';
import { applied, emptyCopy, statesAfter, type JournalCopy } from './journal-copy.ts';
import { journalTables, type Position } from './journal-tables.ts';

interface OpenJournal {
  copy: JournalCopy<unknown>;
  isChanged: boolean;
  /** Calls for one journal run one after the other. */
  turn: Promise<unknown>;
}

/**
 * The journals as one transaction sees them, for a request with an `Idempotency-Key`, whose key and writes are committed
 * together. Every journal that the transaction reads is locked until its end. So if two requests write and read the same two
 * journals, at least one of them sees what the other one has written. Rules that write one journal and then read another
 * depend on this, for example `accounts/forget-if-erased.ts`.
 *
 * Two such requests can wait for each other's journals; PostgreSQL then rolls one of them back. `unit.transaction` repeats it if
 * that is safe (`server/database/repetition.ts`); otherwise its answer is 503.
 */
export class TransactionJournals {
  private readonly open = new Map<string, OpenJournal>();
  private readonly em: EntityManager;
  private readonly knownOf: <State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
  ) => JournalCopy<State>;

  /** @param knownOf what this instance has read of a journal before, so that only newer records are read here */
  constructor(em: EntityManager, knownOf: TransactionJournals['knownOf']) {
    this.em = em;
    this.knownOf = knownOf;
  }

  /** The journals that this transaction has written to, by name, and their positions. */
  get changed(): [string, Position][] {
    return [...this.open].flatMap(([name, { isChanged, copy }]): [string, Position][] =>
      isChanged ? [[name, copy.position]] : [],
    );
  }

  of<State, Item extends object>(
    kind: JournalKind<State, Item>,
  ): Pick<JournalsOf<State, Item>, 'read' | 'change' | 'rewrite'> {
    return {
      read: (id) => this.use(kind, id, async ({ state }) => ({ state })),
      change: (id, decide) =>
        this.use(kind, id, async ({ state, position }) => {
          const items = decide(state);
          if (items.length === 0) return { state };
          const decided = { kind: kind.name, id, position };
          const after = applied(kind, state, items);
          const next = await journalTables.append(this.em, decided, items, kind.jobsOf?.(state, after));
          return next && { state: after, position: next };
        }),
      rewrite: (id, change) =>
        this.use(kind, id, async ({ state: before, position }) => {
          const state = change(before);
          if (state === before) return { state };
          const decided = { kind: kind.name, id, position };
          const next = await journalTables.rewrite(this.em, decided, kind.compacted(state));
          return next && { state, position: next };
        }),
    };
  }

  /**
   * @param work returns the state, with the new position if it has written; undefined if another request has written the first
   *   records of the journal meanwhile. It is then called again
   */
  private use<State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
    work: (copy: JournalCopy<State>) => Promise<(Partial<JournalCopy<State>> & { state: State }) | undefined>,
  ): Promise<State> {
    const name = `${kind.name}/${id}`;
    const journal: OpenJournal = this.open.get(name) ?? {
      copy: this.knownOf(kind, id),
      isChanged: false,
      turn: Promise.resolve(),
    };
    this.open.set(name, journal);
    const write = async (): Promise<State> => {
      for (;;) {
        const copy = await this.newest(kind, id, journal.copy as JournalCopy<State>);
        const written = await work(copy);
        if (!written) continue;
        const { state, position } = written;
        journal.copy = { state, position: position ?? copy.position };
        journal.isChanged ||= position !== undefined;
        return state;
      }
    };
    const turn = journal.turn.then(write);
    journal.turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Locks the journal, and returns its newest state as this transaction sees it. After a rollback to a savepoint, `known`
   * may contain records that no longer exist; then the whole journal is read.
   */
  private async newest<State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
    known: JournalCopy<State>,
  ): Promise<JournalCopy<State>> {
    if (!(await journalTables.lock(this.em, kind.name, id))) return emptyCopy(kind, id);
    // This is a second statement, because the one that has waited for the lock does not see what was committed meanwhile.
    const found = await journalTables.read(this.em, kind.name, id, known.position);
    const states = statesAfter(kind, id, known, found);
    return { state: states.at(-1) ?? known.state, position: found.position };
  }
}
