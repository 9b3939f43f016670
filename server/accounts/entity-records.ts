import { serialize, type AnyEntity, type EntityName, type FilterQuery } from '@mikro-orm/core';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { RecordSource } from './account-part.ts';

/**
 * The records of an entity that are about a user, in the order of `key`, which must be unique among them.
 * @param about returns the condition for the rows about a user
 * @param except properties that mean nothing outside the service
 */
export const entityRecords =
  <Entity extends AnyEntity>(
    unit: UnitOfWork,
    entity: EntityName<Entity>,
    key: string & keyof Entity,
    about: (userId: string) => object,
    except: readonly (string & keyof Entity)[] = [],
  ): RecordSource =>
  async (userId, after, limit) => {
    // The rows are read in a fork, so that the unit's identity map does not keep the rows of every page.
    const found = await unit.em.fork().find(
      entity,
      { $and: [about(userId), ...(after ? [{ [key]: { $gt: after[0] } }] : [])] } as FilterQuery<Entity>,
      // MikroORM cannot check the type of a computed key.
      { orderBy: { [key]: 'asc' } as never, limit, disableIdentityMap: true },
    );
    return found.map((one) => {
      const record = serialize(one) as Record<string, unknown>;
      for (const property of except) delete record[property];
      return { key: [record[key] as string | number], record };
    });
  };
