import { LockMode, type EntityName } from '@mikro-orm/core';
import { checkVersion, notFound } from '../errors.ts';
import { isUuid } from '../ids.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

/** An entity that counts its changes. */
interface Versioned {
  id: string;
  version: number;
}

interface ChangeOf<Entity> {
  /** The entity's name in messages, e.g. `post`. */
  what: string;
  id: string;
  /** The version on which the change is based; undefined or null if any version will do, so that the last write wins. */
  expectedVersion?: number | null | undefined;
  /** Decides the rights. @throws NOT_FOUND if the viewer may not see the entity, FORBIDDEN if they may not change it */
  decide(stored: Entity): void;
}

/**
 * Loads an entity for a change and locks its row until the transaction ends, so that the rights and the version cannot
 * change between the check and the write.
 * @throws NOT_FOUND; what `decide` throws; VERSION_CONFLICT
 */
export async function lockedForChange<Entity extends Versioned>(
  unit: UnitOfWork,
  entity: EntityName<Entity>,
  { what, id, expectedVersion, decide }: ChangeOf<Entity>,
): Promise<Entity> {
  const stored = isUuid(id)
    ? await unit.em.findOne<Versioned>(
        entity as EntityName<Versioned>,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      )
    : null;
  if (!stored) throw notFound(what, id);
  decide(stored as Entity);
  checkVersion(what, expectedVersion, stored.version);
  return stored as Entity;
}
