import type { Notifications } from '../database/notifications.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { dueAt, isFinished, type Saga } from './saga.ts';
import { SagaRow } from './saga.entity.ts';
import type { SagaStore } from './saga-store.ts';

/** Channel of the database's notifications (see server/database/notifications.ts) on which every stored change is told. */
export const SAGA_CHANNEL = 'saga';

/**
 * Sagas in the owning service's database. `notifications` must listen to SAGA_CHANNEL; without them `onChange` hears nothing.
 *
 * Leases count by the database's clock, which is one for all instances. A lease of an instance that was killed runs
 * out; one that was only slow finds at its next `save` that it holds it no more, and stops.
 */
export function databaseSagaStore(unitOf: () => UnitOfWork, notifications?: Notifications): SagaStore {
  return {
    async insert(saga, unit) {
      const inserted = await unit.em.execute<unknown[]>(
        `insert into saga (id, kind, subject, status, context, actions, result, started_at, finished_at, due_at)
         values (?, ?, ?, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?, ?, now())
         on conflict do nothing returning id`,
        [
          saga.id,
          saga.kind,
          saga.subject,
          saga.status,
          JSON.stringify(saga.context),
          JSON.stringify(saga.actions),
          JSON.stringify(saga.result),
          saga.startedAt,
          saga.finishedAt,
        ],
      );
      return inserted.length === 1;
    },
    async find(id) {
      const row = await unitOf().em.findOne(SagaRow, { id });
      return row ? sagaOf(row) : undefined;
    },
    async findBySubjects(kind, subjects) {
      const rows = await unitOf().em.find(
        SagaRow,
        { kind, subject: { $in: [...subjects] } },
        { orderBy: { id: 'asc' } },
      );
      return [...new Map(rows.map((row) => [row.subject, sagaOf(row)])).values()];
    },
    async claim(kinds, limit, { holder, millis }) {
      const unit = unitOf();
      // One statement: `skip locked` leaves to another instance what it is about to take.
      const claimed = await unit.em.execute<{ id: string }[]>(
        `update saga set lease_holder = ?, leased_until = now() + ? * interval '1 ms'
         where id in (
           select id from saga
           where finished_at is null and due_at <= now() and (leased_until is null or leased_until <= now()) and kind in (?)
           order by due_at limit ? for update skip locked
         ) returning id`,
        [holder, millis, [...kinds], limit],
      );
      if (claimed.length === 0) return [];
      const rows = await unit.em.find(SagaRow, { id: { $in: claimed.map(({ id }) => id) } });
      return rows.map(sagaOf);
    },
    async renew(id, { holder, millis }) {
      const renewed = await unitOf().em.execute<unknown[]>(
        `update saga set leased_until = now() + ? * interval '1 ms' where id = ? and lease_holder = ? returning id`,
        [millis, id, holder],
      );
      return renewed.length === 1;
    },
    async save(saga, { holder, millis }, within) {
      const unit = unitOf();
      return unit.transaction(async () => {
        const saved = await unit.em.execute<unknown[]>(
          `update saga set status = ?, context = ?::jsonb, actions = ?::jsonb, result = ?::jsonb, finished_at = ?, due_at = ?,
             leased_until = case when ? then null else now() + ? * interval '1 ms' end
           where id = ? and lease_holder = ? returning pg_notify(?, id::text)`,
          [
            saga.status,
            JSON.stringify(saga.context),
            JSON.stringify(saga.actions),
            JSON.stringify(saga.result),
            saga.finishedAt,
            dueAt(saga),
            isFinished(saga),
            millis,
            saga.id,
            holder,
            SAGA_CHANNEL,
          ],
        );
        if (saved.length === 0) return false;
        await within(unit);
        return true;
      });
    },
    async release(saga, { holder }) {
      await unitOf().em.execute(
        'update saga set lease_holder = null, leased_until = null, due_at = ? where id = ? and lease_holder = ?',
        [dueAt(saga), saga.id, holder],
      );
    },
    async remove(kind, subjects) {
      await unitOf().em.nativeDelete(SagaRow, { kind, subject: { $in: [...subjects] } });
    },
    onChange: (hear) => notifications?.on(SAGA_CHANNEL, hear) ?? (() => undefined),
  };
}

const sagaOf = (row: SagaRow): Saga => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  status: row.status,
  context: row.context ?? null,
  actions: row.actions,
  result: row.result ?? null,
  startedAt: row.startedAt,
  finishedAt: row.finishedAt ?? null,
});
