import type { EntityManager, EventSubscriber, MikroORM, TransactionEventArgs } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import type { Logger } from '#server/observability/logger.ts';
import { DatabaseJournal } from './database-journal.ts';
import type { JournalChanges } from './journal-changes.ts';
import type { Following, JournalKind, JournalListener, Journals, JournalsOf } from './journal.ts';
import { journalTables, START, type Position } from './journal-tables.ts';
import { TransactionJournals } from './transaction-journals.ts';

interface DatabaseJournalsOptions {
  orm: MikroORM;
  log: Logger;
  /** How instances report changes to each other. Without it only the periodic check finds changes of others. */
  changes?: JournalChanges | undefined;
  /** Milliseconds between two checks for changes that were not reported. Default 15,000. */
  checkMillis?: number;
  /** The most journals in memory that nobody follows. Default 2,000. */
  cacheSize?: number;
}

/** The maximum number of journals whose positions one statement reads. */
const CHECK_BATCH = 1_000;

/**
 * Journals in PostgreSQL, which any number of instances write and follow. A change is acknowledged after its commit. An
 * instance that has missed a report reads the missing records when its connection for reports is back, or at the next check.
 *
 * Inside a transaction of the database (`unit.transaction`) the calls take part in the transaction; listeners are notified of
 * its writes after the commit.
 */
export class DatabaseJournals implements Journals {
  private readonly options: DatabaseJournalsOptions;
  /** Outside any transaction, also if a caller is inside one. */
  private readonly em: EntityManager;
  private readonly followed = new Map<string, DatabaseJournal<unknown, object>>();
  private readonly cached: LRUCache<string, DatabaseJournal<unknown, object>>;
  /** The journals that each running transaction has used; the key is the driver's object of the transaction. */
  private readonly transactions = new WeakMap<object, TransactionJournals>();
  private readonly checking: NodeJS.Timeout;
  private check: Promise<void> | undefined;
  /** Whether to check again after the running check, which may have read a journal before the latest change was written. */
  private isCheckDue = false;
  private isClosed = false;

  constructor(options: DatabaseJournalsOptions) {
    const { orm, checkMillis = 15_000, cacheSize = 2_000, changes } = options; // 15 s
    this.options = options;
    this.em = orm.em.fork({ useContext: false });
    this.cached = new LRUCache({ max: cacheSize });
    orm.em.getEventManager().registerSubscriber(this.afterCommits());
    this.checking = setInterval(() => void this.catchUp(), checkMillis);
    this.checking.unref();
    changes?.onReady(() => void this.catchUp());
  }

  of<State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item> {
    const journal = (id: string) => this.journal(kind, id);
    const stored = (id: string) => (position: Position) => this.report(`${kind.name}/${id}`, position);
    const inTransaction = () => this.currentTransaction()?.of(kind);
    return {
      read: (id) => inTransaction()?.read(id) ?? journal(id).read(),
      change: (id, decide) => inTransaction()?.change(id, decide) ?? journal(id).change(decide, stored(id)),
      rewrite: (id, change) =>
        inTransaction()?.rewrite(id, change) ?? journal(id).rewrite(change, stored(id)),
      follow: (id, listener) => this.follow(journal(id), listener),
    };
  }

  get listeners(): number {
    return [...this.followed.values()].reduce((sum, journal) => sum + journal.listeners.size, 0);
  }

  /** Reads what was missed of the journals that are followed. Never rejects. */
  catchUp(): Promise<void> {
    this.isCheckDue = true;
    this.check ??= this.checkWhileDue().finally(() => (this.check = undefined));
    return this.check;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.checking);
    for (const { unsubscribe } of this.followed.values()) unsubscribe?.();
    this.followed.clear();
    this.cached.clear();
    await this.check;
  }

  private async checkWhileDue(): Promise<void> {
    while (this.isCheckDue && !this.isClosed) {
      this.isCheckDue = false;
      try {
        await this.checkAll();
      } catch (error) {
        if (!this.isClosed)
          this.options.log.warn(
            { err: error },
            'new records of journals could not be read; the next check tries again',
          );
      }
    }
  }

  private async checkAll(): Promise<void> {
    const names = [...this.followed.keys()];
    for (let at = 0; at < names.length && !this.isClosed; at += CHECK_BATCH) {
      const some = names.slice(at, at + CHECK_BATCH);
      const positions = await journalTables.positions(this.em, some);
      const journals = some.flatMap((name) => this.followed.get(name) ?? []);
      for (const journal of journals)
        if (!isAt(journal, positions.get(journal.name) ?? START)) await journal.pull();
      // All subscriptions begin at the same time, because each one takes up to a second while Redis does not answer.
      const areNew = await Promise.all(journals.map((journal) => this.subscribe(journal)));
      // Changes after the positions were read and before a new subscription has begun were not reported, so they are read here.
      for (const [index, journal] of journals.entries()) if (areNew[index]) await journal.pull();
    }
  }

  /**
   * The maps contain journals of all kinds. The kind is a part of the name, so a journal with this name has the types of state
   * and records that its kind says. Therefore the casts here and below are right.
   */
  private journal<State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
  ): DatabaseJournal<State, Item> {
    const name = `${kind.name}/${id}`;
    const known = this.followed.get(name) ?? this.cached.get(name);
    if (known) return known as unknown as DatabaseJournal<State, Item>;
    const journal = new DatabaseJournal(kind, id, this.em, this.options.log);
    this.cached.set(name, journal as never);
    return journal;
  }

  private async follow<State, Item extends object>(
    journal: DatabaseJournal<State, Item>,
    listener: JournalListener<State>,
  ): Promise<Following<State>> {
    const { name } = journal;
    journal.followers += 1;
    this.followed.set(name, journal as never);
    let isStopped = false;
    const stop = (): void => {
      if (isStopped) return;
      isStopped = true;
      journal.listeners.delete(listener);
      journal.followers -= 1;
      if (journal.followers > 0 || this.followed.get(name) !== (journal as never)) return;
      journal.unsubscribe?.();
      journal.unsubscribe = undefined;
      this.followed.delete(name);
      this.cached.set(name, journal as never);
    };
    try {
      await this.subscribe(journal as never);
      await journal.pull();
      journal.listeners.add(listener);
      return { state: journal.known.state, stop };
    } catch (error) {
      stop();
      throw error;
    }
  }

  /**
   * Returns whether a subscription has begun. Without one, for example while Redis does not answer, the next check finds
   * changes and subscribes again.
   */
  private async subscribe(journal: DatabaseJournal<unknown, object>): Promise<boolean> {
    const { changes } = this.options;
    if (!changes || journal.unsubscribe || journal.isSubscribing) return false;
    journal.isSubscribing = true;
    try {
      const unsubscribe = await changes.subscribe(journal.name, (position) => {
        if (!isAt(journal, position)) void journal.pull().catch(() => undefined); // the next check reads it
      });
      if (journal.followers > 0) journal.unsubscribe = unsubscribe;
      else unsubscribe();
      return true;
    } catch {
      return false; // Redis does not answer, which its connection has logged.
    } finally {
      journal.isSubscribing = false;
    }
  }

  private report(name: string, position: Position): void {
    this.options.changes?.publish(name, position);
    // The object that has written the record may have been dropped from the cache meanwhile. Then listeners follow another
    // object of the same journal, which must read the record.
    queueMicrotask(() => {
      const followed = this.followed.get(name);
      if (followed && followed.known.position.seq < position.seq) void followed.pull().catch(() => undefined);
    });
  }

  private currentTransaction(): TransactionJournals | undefined {
    const { em } = this.options.orm;
    const transaction = em.getTransactionContext() as object | undefined;
    if (!transaction) return undefined;
    const known = this.transactions.get(transaction);
    if (known) return known;
    // The copies in memory contain committed records only.
    const journals = new TransactionJournals(
      em.getContext(false),
      (kind, id) => this.journal(kind, id).known,
    );
    this.transactions.set(transaction, journals);
    return journals;
  }

  private afterCommits(): EventSubscriber {
    return {
      afterTransactionCommit: async ({ transaction }: TransactionEventArgs) => {
        const committed = transaction && this.transactions.get(transaction);
        if (!committed) return;
        for (const [name, position] of committed.changed) {
          // The write is committed: if it cannot be read here now, the next use or check reads it.
          await this.followed
            .get(name)
            ?.pull()
            .catch(() => undefined);
          this.report(name, position);
          await (this.followed.get(name) ?? this.cached.get(name))
            ?.compactAfter(position)
            .catch(() => undefined); // the next write tries again
        }
      },
    };
  }
}

const isAt = (journal: DatabaseJournal<unknown, object>, { seq, mark }: Position): boolean =>
  journal.known.position.seq === seq && journal.known.position.mark === mark;
