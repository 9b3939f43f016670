import { requireService } from '../auth/viewer.ts';
import { forbidden, notFound } from '../errors.ts';
import type { ServiceName } from '../settings.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

/** A type of entity of another service to which this service stores references, and how it removes those to one entity. */
interface ReferencedType {
  /** The service that owns the entity; only it may report the removal. */
  readonly owner: ServiceName;
  /** Removes the references to an entity. It runs in one transaction and is idempotent. */
  forget(id: string): Promise<void>;
}

/** The types by their names in the graph, or by another name for entities that are hidden and may be shown again. */
type ReferencedTypes = Readonly<Record<string, ReferencedType>>;

/**
 * The receiving side of removals (see removals.ts): an owner reports that an entity was removed, and the references to it
 * are removed here.
 *
 * A write that asked the owner before the removal may still store its reference after the removal. Therefore each removal
 * stores a removal record, and a write calls `removedAmong` to find the removed ids among its targets. Both take the same
 * lock, so either the write has committed and `forget` finds its rows, or the write finds the record.
 */
export class RemovedReferences {
  private readonly unit: UnitOfWork;
  private readonly holders: ReferencedTypes;

  constructor(unit: UnitOfWork, holders: ReferencedTypes) {
    this.unit = unit;
    this.holders = holders;
  }

  /** Removes the references to an entity. @throws FORBIDDEN for all callers but its owner, NOT_FOUND for an unknown type */
  async forget(typeName: string, id: string): Promise<void> {
    const { service } = requireService(this.unit.viewer);
    const holder = Object.hasOwn(this.holders, typeName) ? this.holders[typeName] : undefined;
    if (!holder) throw notFound('type of references', typeName);
    if (holder.owner !== service)
      throw forbidden(`Only the ${holder.owner} service may report the removal of a ${typeName}.`);
    await this.unit.transaction(async () => {
      await this.unit.em.execute(
        `select pg_advisory_xact_lock(hashtext('removed_reference'), hashtext(?::uuid::text) & ${LOCK_MASK})`,
        [id],
      );
      await this.unit.em.execute(
        `insert into removed_reference (type_name, id, removed_at) values (?, ?, now())
         on conflict (type_name, id) do update set removed_at = excluded.removed_at`,
        [typeName, id],
      );
      // A removal record is needed only until the writes that asked the owner before the removal have ended. They take far less
      // than a day.
      await this.unit.em.execute(`delete from removed_reference where removed_at < now() - interval '1 day'`);
      await holder.forget(id);
    });
  }
}

/**
 * The ids among `ids` whose entities were reported as removed. Call it in the transaction that stores references to them,
 * before that transaction locks anything else; until its commit, reports of their removal wait.
 * @param since only reports since this instant, by the clock of the database (`databaseTime`), for entities that are hidden
 * and may be shown again: an earlier report is older than the owner's answer
 */
export async function removedAmong(
  unit: UnitOfWork,
  typeName: string,
  ids: readonly string[],
  since = '-infinity',
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const list = `{${ids.join(',')}}`;
  await unit.em.execute(
    `select pg_advisory_xact_lock_shared(hashtext('removed_reference'), lock)
     from (select distinct hashtext(id::text) & ${LOCK_MASK} as lock from unnest(?::uuid[]) as id order by 1) as locks`,
    [list],
  );
  const rows = await unit.em.execute<{ id: string }[]>(
    'select id from removed_reference where type_name = ? and id = any(?::uuid[]) and removed_at >= ?::timestamptz',
    [typeName, list, since],
  );
  const removed = new Set(rows.map(({ id }) => id));
  return new Set(ids.filter((id) => removed.has(id)));
}

/** The time by the clock of the database, for `removedAmong`. Read it before the owner is asked. */
export async function databaseTime(unit: UnitOfWork): Promise<string> {
  const [row] = await unit.read<{ now: string }>('select clock_timestamp()::text as now', []);
  if (!row) throw new Error('The database has not returned its time.');
  return row.now;
}

/** All entities share 64 locks, so that a transaction with many references takes at most 64 locks. */
const LOCK_MASK = 63;
