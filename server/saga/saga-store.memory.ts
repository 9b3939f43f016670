import { EventEmitter } from 'node:events';
import type { UnitOfWork } from '../unit-of-work.ts';
import { dueAt, isAtRest, type Saga } from './saga.ts';
import type { Lease, SagaStore, WithinSave } from './saga-store.ts';

interface Kept {
  saga: Saga;
  dueAt: number;
  holder: string | undefined;
  leasedUntil: number;
}

/** Sagas in the memory of one process; they are lost when it ends. Values are copied in and out, so that a caller's later changes are not stored. */
export class MemorySagaStore implements SagaStore {
  private readonly kept = new Map<string, Kept>();
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
    this.kept.set(saga.id, { saga: structuredClone(saga), dueAt: 0, holder: undefined, leasedUntil: 0 });
    return true;
  }

  async find(id: string): Promise<Saga | undefined> {
    return structuredClone(this.kept.get(id)?.saga);
  }

  async findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]> {
    return structuredClone(subjects.flatMap((subject) => this.newest(kind, subject) ?? []));
  }

  async claim(kinds: readonly string[], limit: number, { holder, millis }: Lease): Promise<Saga[]> {
    const time = this.now();
    const due = [...this.kept.values()].filter(
      (each) =>
        kinds.includes(each.saga.kind) &&
        !isAtRest(each.saga) &&
        each.dueAt <= time &&
        each.leasedUntil <= time,
    );
    return due.slice(0, limit).map((each) => {
      Object.assign(each, { holder, leasedUntil: time + millis });
      return structuredClone(each.saga);
    });
  }

  async renew(id: string, lease: Lease): Promise<boolean> {
    const found = this.held(id, lease);
    if (found) found.leasedUntil = this.now() + lease.millis;
    return Boolean(found);
  }

  async save(saga: Saga, lease: Lease, within: WithinSave): Promise<boolean> {
    const found = this.held(saga.id, lease);
    if (!found) return false;
    const before = { ...found };
    Object.assign(found, {
      saga: structuredClone(saga),
      dueAt: dueAt(saga).getTime(),
      leasedUntil: this.now() + lease.millis,
      ...(isAtRest(saga) && { holder: undefined }),
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
    const found = this.held(saga.id, lease);
    if (found) Object.assign(found, { holder: undefined, leasedUntil: 0, dueAt: dueAt(saga).getTime() });
  }

  change(id: string, _unit: UnitOfWork, apply: (saga: Saga) => Promise<void>): Promise<Saga | undefined> {
    // Changes run one after the other, as under a lock.
    const changed = this.changing.then(async () => {
      const found = this.kept.get(id);
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

  async countWaiting(kinds: readonly string[]): Promise<Map<string, number>> {
    const waiting = [...this.kept.values()].filter(
      ({ saga }) => saga.status === 'UNDO_FAILED' && kinds.includes(saga.kind),
    );
    return new Map(
      [...Map.groupBy(waiting, ({ saga }) => saga.kind)].map(([kind, sagas]) => [kind, sagas.length]),
    );
  }

  async removeFinished(kind: string, before: Date, limit: number): Promise<number> {
    const over = [...this.kept.values()]
      .filter(({ saga }) => saga.kind === kind && saga.finishedAt !== null && saga.finishedAt < before)
      .slice(0, limit);
    for (const { saga } of over) this.kept.delete(saga.id);
    return over.length;
  }

  async remove(kind: string, subjects: readonly string[]): Promise<void> {
    for (const { saga } of this.kept.values())
      if (saga.kind === kind && subjects.includes(saga.subject)) this.kept.delete(saga.id);
  }

  onChange(listener: (id: string) => void): () => void {
    this.events.on('change', listener);
    return () => this.events.off('change', listener);
  }

  private held(id: string, { holder }: Lease): Kept | undefined {
    const found = this.kept.get(id);
    return found?.holder === holder ? found : undefined;
  }

  private newest(kind: string, subject: string): Saga | undefined {
    return [...this.kept.values()].findLast(({ saga }) => saga.kind === kind && saga.subject === subject)
      ?.saga;
  }
}
