import { LockMode } from '@mikro-orm/core';
import type { Notifications } from '../database/notifications.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { dueAt, isSettled, type Saga } from './saga.ts';
import { SagaRow } from './saga.entity.ts';
import type { Lease, SagaStore, UnfinishedSagas, WithinSave } from './saga-store.ts';

/** The channel of the database's notifications (server/database/notifications.ts) that reports every stored change. */
export const SAGA_CHANNEL = 'saga';

/**
 * Stores sagas in the owning service's database. `notifications` must listen to SAGA_CHANNEL; without them `onChange` reports
 * nothing.
 *
 * Leases are measured by the database's clock, which all instances share. The lease of a killed instance expires. An
 * instance that was too slow to renew its lease finds at its next `save` that it has lost the lease, and stops.
 */
export class DatabaseSagaStore implements SagaStore {
  private readonly unitOf: () => UnitOfWork;
  private readonly notifications: Notifications | undefined;

  constructor(unitOf: () => UnitOfWork, notifications?: Notifications) {
    this.unitOf = unitOf;
    this.notifications = notifications;
  }

  async insert(saga: Saga, unit: UnitOfWork): Promise<boolean> {
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
  }

  async find(id: string): Promise<Saga | undefined> {
    const row = await this.unitOf().em.findOne(SagaRow, { id });
    return row ? sagaOf(row) : undefined;
  }

  async findBySubjects(kind: string, subjects: readonly string[]): Promise<Saga[]> {
    const rows = await this.unitOf().em.find(
      SagaRow,
      { kind, subject: { $in: [...subjects] } },
      { orderBy: { id: 'asc' } },
    );
    return [...new Map(rows.map((row) => [row.subject, sagaOf(row)])).values()];
  }

  async claim(kinds: readonly string[], limit: number, { holder, millis }: Lease): Promise<Saga[]> {
    const unit = this.unitOf();
    // One statement, with `skip locked`, so that two instances never claim the same saga.
    const claimed = await unit.em.execute<{ id: string }[]>(
      `update saga set lease_holder = ?, leased_until = now() + ? * interval '1 ms'
       where id in (
         select id from saga
         where finished_at is null and status <> 'UNDO_FAILED' and due_at <= now() and (leased_until is null or leased_until <= now()) and kind in (?)
         order by due_at limit ? for update skip locked
       ) returning id`,
      [holder, millis, [...kinds], limit],
    );
    if (claimed.length === 0) return [];
    const rows = await unit.em.find(SagaRow, { id: { $in: claimed.map(({ id }) => id) } });
    return rows.map(sagaOf);
  }

  async renew(id: string, { holder, millis }: Lease): Promise<boolean> {
    const renewed = await this.unitOf().em.execute<unknown[]>(
      `update saga set leased_until = now() + ? * interval '1 ms' where id = ? and lease_holder = ? returning id`,
      [millis, id, holder],
    );
    return renewed.length === 1;
  }

  async save(saga: Saga, { holder, millis }: Lease, within: WithinSave): Promise<boolean> {
    const unit = this.unitOf();
    return unit.transaction(async () => {
      // A settled saga has no lease holder, so that a late worker cannot overwrite a decision that was made in the meantime.
      const saved = await unit.em.execute<unknown[]>(
        `update saga set ${CHANGED_COLUMNS},
           leased_until = case when ? then null else now() + ? * interval '1 ms' end,
           lease_holder = case when ? then null else lease_holder end
         where id = ? and lease_holder = ? returning pg_notify(?, id::text)`,
        [...changedValues(saga), isSettled(saga), millis, isSettled(saga), saga.id, holder, SAGA_CHANNEL],
      );
      if (saved.length === 0) return false;
      await within(unit);
      return true;
    });
  }

  async release(saga: Saga, { holder }: Lease): Promise<void> {
    await this.unitOf().em.execute(
      'update saga set lease_holder = null, leased_until = null, due_at = ? where id = ? and lease_holder = ?',
      [dueAt(saga), saga.id, holder],
    );
  }

  change(id: string, unit: UnitOfWork, apply: (saga: Saga) => Promise<void>): Promise<Saga | undefined> {
    return unit.transaction(async () => {
      const row = await unit.em.findOne(
        SagaRow,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!row) return undefined;
      const saga = structuredClone(sagaOf(row));
      await apply(saga);
      await unit.em.execute(
        `update saga set ${CHANGED_COLUMNS}, lease_holder = null, leased_until = null
         where id = ? returning pg_notify(?, id::text)`,
        [...changedValues(saga), id, SAGA_CHANNEL],
      );
      return saga;
    });
  }

  async countUnfinished(kinds: readonly string[]): Promise<Map<string, UnfinishedSagas>> {
    const rows = await this.unitOf().em.execute<(UnfinishedSagas & { kind: string })[]>(
      `select kind, count(*) filter (where status = 'UNDO_FAILED')::int as waiting,
         count(*) filter (where status <> 'UNDO_FAILED')::int as running
       from saga where finished_at is null and kind in (?) group by kind`,
      [[...kinds]],
    );
    return new Map(rows.map(({ kind, ...counts }) => [kind, counts]));
  }

  async removeFinished(kind: string, before: Date, limit: number, unit: UnitOfWork): Promise<number> {
    const removed = await unit.em.execute<unknown[]>(
      `delete from saga where id in (
         select id from saga where kind = ? and finished_at < ? order by finished_at limit ? for update skip locked
       ) returning 1`,
      [kind, before, limit],
    );
    return removed.length;
  }

  async remove(kind: string, subjects: readonly string[]): Promise<void> {
    await this.unitOf().em.nativeDelete(SagaRow, { kind, subject: { $in: [...subjects] } });
  }

  onChange(listener: (id: string | undefined) => void): () => void {
    return this.notifications?.on(SAGA_CHANNEL, listener) ?? (() => undefined);
  }
}

const CHANGED_COLUMNS =
  'status = ?, context = ?::jsonb, actions = ?::jsonb, result = ?::jsonb, undoing = ?::jsonb, finished_at = ?, due_at = ?';

const changedValues = (saga: Saga): unknown[] => [
  saga.status,
  JSON.stringify(saga.context),
  JSON.stringify(saga.actions),
  JSON.stringify(saga.result),
  saga.undoing && JSON.stringify(saga.undoing),
  saga.finishedAt,
  dueAt(saga),
];

const sagaOf = (row: SagaRow): Saga => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  status: row.status,
  context: row.context ?? null,
  actions: row.actions,
  result: row.result ?? null,
  undoing: row.undoing ?? null,
  startedAt: row.startedAt,
  finishedAt: row.finishedAt ?? null,
});
