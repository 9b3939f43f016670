import { EventEmitter } from 'node:events';
import type { UnitOfWork } from '../unit-of-work.ts';
import { dueAt, isAtRest, type Saga } from './saga.ts';
import type { Lease, SagaStore } from './saga-store.ts';

interface Kept {
  saga: Saga;
  dueAt: number;
  holder: string | undefined;
  leasedUntil: number;
}

/** Sagas in the memory of one process; they are lost when it ends. */
export function memorySagaStore(unitOf: () => UnitOfWork, now: () => number = Date.now): SagaStore {
  const kept = new Map<string, Kept>();
  const events = new EventEmitter().setMaxListeners(0);
  let changing: Promise<unknown> = Promise.resolve();
  const held = (id: string, { holder }: Lease): Kept | undefined => {
    const found = kept.get(id);
    return found?.holder === holder ? found : undefined;
  };
  const newest = (kind: string, subject: string): Saga | undefined =>
    [...kept.values()].findLast(({ saga }) => saga.kind === kind && saga.subject === subject)?.saga;

  // Copies values in and out, so that later changes by a caller do not change what is stored.
  return {
    async insert(saga) {
      const before = newest(saga.kind, saga.subject);
      if (before && before.status !== 'UNDONE') return false;
      kept.set(saga.id, { saga: structuredClone(saga), dueAt: 0, holder: undefined, leasedUntil: 0 });
      return true;
    },
    find: async (id) => structuredClone(kept.get(id)?.saga),
    findBySubjects: async (kind, subjects) =>
      subjects.flatMap((subject) => newest(kind, subject) ?? []).map((saga) => structuredClone(saga)),
    async claim(kinds, limit, { holder, millis }) {
      const time = now();
      const due = [...kept.values()].filter(
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
    },
    async renew(id, lease) {
      const found = held(id, lease);
      if (found) found.leasedUntil = now() + lease.millis;
      return Boolean(found);
    },
    async save(saga, lease, within) {
      const found = held(saga.id, lease);
      if (!found) return false;
      const before = { ...found };
      Object.assign(found, {
        saga: structuredClone(saga),
        dueAt: dueAt(saga).getTime(),
        leasedUntil: now() + lease.millis,
        ...(isAtRest(saga) && { holder: undefined }),
      });
      try {
        await within(unitOf());
      } catch (error) {
        Object.assign(found, before);
        throw error;
      }
      events.emit('change', saga.id);
      return true;
    },
    async release(saga, lease) {
      const found = held(saga.id, lease);
      if (found) Object.assign(found, { holder: undefined, leasedUntil: 0, dueAt: dueAt(saga).getTime() });
    },
    change(id, _unit, apply) {
      // Changes run one after the other, as under a lock.
      const changed = changing.then(async () => {
        const found = kept.get(id);
        if (!found) return undefined;
        const saga = structuredClone(found.saga);
        await apply(saga);
        Object.assign(found, {
          saga: structuredClone(saga),
          dueAt: dueAt(saga).getTime(),
          holder: undefined,
          leasedUntil: 0,
        });
        events.emit('change', id);
        return saga;
      });
      changing = changed.catch(() => undefined);
      return changed;
    },
    async countWaiting(kinds) {
      const waiting = [...kept.values()].filter(
        ({ saga }) => saga.status === 'UNDO_FAILED' && kinds.includes(saga.kind),
      );
      return new Map(
        [...Map.groupBy(waiting, ({ saga }) => saga.kind)].map(([kind, sagas]) => [kind, sagas.length]),
      );
    },
    async removeFinished(kind, before, limit) {
      const over = [...kept.values()]
        .filter(({ saga }) => saga.kind === kind && saga.finishedAt !== null && saga.finishedAt < before)
        .slice(0, limit);
      for (const { saga } of over) kept.delete(saga.id);
      return over.length;
    },
    async remove(kind, subjects) {
      for (const { saga } of kept.values())
        if (saga.kind === kind && subjects.includes(saga.subject)) kept.delete(saga.id);
    },
    onChange(listener) {
      events.on('change', listener);
      return () => events.off('change', listener);
    },
  };
}
