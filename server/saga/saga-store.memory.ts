import { EventEmitter } from 'node:events';
import type { UnitOfWork } from '../unit-of-work.ts';
import { dueAt, isFinished, isSettled, type Saga } from './saga.ts';
import type { Lease, SagaStore, UnfinishedSagas, WithinSave } from './saga-store.ts';

interface StoredSaga {
  saga: Saga;
  dueAt: number;
  holder: string | undefined;
  leasedUntil: number;
}

/**
 * Stores sagas in the memory of one process; they are lost when it ends. Sagas are copied when they are stored and when they
 * are returned, so that later changes of a caller's object are not stored.
 */
export class MemorySagaStore implements SagaStore {
  private readonly stored = new Map<string, StoredSaga>();
  private readonly events = new EventEmitter().setMaxListeners(0);
  private readonly unitOf: () => UnitOfWork;
  private readonly now: () => number;
  private changing: Promise<unknown> = Promise.resolve();

  constructor(unitOf: () => UnitOfWork, now: () => number = Date.now) {
    this.unitOf = unitOf;
    this.now = now;
  }

  async insert(saga: Saga): Promise<boolean> {
    const before = this.newest(saga.kind, saga.subject);
    if (before && before.status !== 'UNDONE') return false;
    this.stored.set(saga.id, { saga: structuredClone(saga), dueAt: 0, holder: undefined, leasedUntil: 0 });
    return true;
  }

  async find(id: string): Promise<Saga | undefined> {
    return structuredClone(this.stored.get(id)?.saga);
  }

  async findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]> {
    return structuredClone(subjects.flatMap((subject) => this.newest(kind, subject) ?? []));
  }

  async claim(kinds: readonly string[], limit: number, { holder, millis }: Lease): Promise<Saga[]> {
    const time = this.now();
    const due = [...this.stored.values()].filter(
      (each) =>
        kinds.includes(each.saga.kind) &&
        !isSettled(each.saga) &&
        each.dueAt <= time &&
        each.leasedUntil <= time,
    );
    return due.slice(0, limit).map((each) => {
      Object.assign(each, { holder, leasedUntil: time + millis });
      return structuredClone(each.saga);
    });
  }

  async renew(id: string, lease: Lease): Promise<boolean> {
    const found = this.heldBy(id, lease);
    if (found) found.leasedUntil = this.now() + lease.millis;
    return Boolean(found);
  }

  async save(saga: Saga, lease: Lease, within: WithinSave): Promise<boolean> {
    const found = this.heldBy(saga.id, lease);
    if (!found) return false;
    const before = { ...found };
    Object.assign(found, {
      saga: structuredClone(saga),
      dueAt: dueAt(saga).getTime(),
      leasedUntil: this.now() + lease.millis,
      ...(isSettled(saga) && { holder: undefined }),
    });
    try {
      await within(this.unitOf());
    } catch (error) {
      Object.assign(found, before);
      throw error;
    }
    this.events.emit('change', saga.id);
    return true;
  }

  async release(saga: Saga, lease: Lease): Promise<void> {
    const found = this.heldBy(saga.id, lease);
    if (found) Object.assign(found, { holder: undefined, leasedUntil: 0, dueAt: dueAt(saga).getTime() });
  }

  change(id: string, _unit: UnitOfWork, apply: (saga: Saga) => Promise<void>): Promise<Saga | undefined> {
    // Changes run one after the other, as with the row lock of the database store.
    const changed = this.changing.then(async () => {
      const found = this.stored.get(id);
      if (!found) return undefined;
      const saga = structuredClone(found.saga);
      await apply(saga);
      Object.assign(found, {
        saga: structuredClone(saga),
        dueAt: dueAt(saga).getTime(),
        holder: undefined,
        leasedUntil: 0,
      });
      this.events.emit('change', id);
      return saga;
    });
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  async countUnfinished(kinds: readonly string[]): Promise<Map<string, UnfinishedSagas>> {
    const unfinished = [...this.stored.values()].filter(
      ({ saga }) => !isFinished(saga) && kinds.includes(saga.kind),
    );
    return new Map(
      [...Map.groupBy(unfinished, ({ saga }) => saga.kind)].map(([kind, sagas]) => {
        const waiting = sagas.filter(({ saga }) => saga.status === 'UNDO_FAILED').length;
        return [kind, { waiting, running: sagas.length - waiting }];
      }),
    );
  }

  async removeFinished(kind: string, before: Date, limit: number): Promise<number> {
    const over = [...this.stored.values()]
      .filter(({ saga }) => saga.kind === kind && saga.finishedAt !== null && saga.finishedAt < before)
      .slice(0, limit);
    for (const { saga } of over) this.stored.delete(saga.id);
    return over.length;
  }

  async remove(kind: string, subjects: readonly string[]): Promise<void> {
    for (const { saga } of this.stored.values())
      if (saga.kind === kind && subjects.includes(saga.subject)) this.stored.delete(saga.id);
  }

  onChange(listener: (id: string) => void): () => void {
    this.events.on('change', listener);
    return () => this.events.off('change', listener);
  }

  private heldBy(id: string, { holder }: Lease): StoredSaga | undefined {
    const found = this.stored.get(id);
    return found?.holder === holder ? found : undefined;
  }

  private newest(kind: string, subject: string): Saga | undefined {
    return [...this.stored.values()].findLast(({ saga }) => saga.kind === kind && saga.subject === subject)
      ?.saga;
  }
}
