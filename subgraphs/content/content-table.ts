import { LockMode, type EntityClass, type FilterQuery } from '@mikro-orm/core';
import type { z } from 'zod';
import { columnsOf } from '#server/database/columns.ts';
import { checkVersion, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { Page, PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { maySee, requireAdmin, requireChange } from './access.ts';
import { pageOfRows, type Conditions, type Order } from './listing.ts';
import type { TextSearch } from './search/text-search.ts';

/** What the entities of exercises, routines and products have in common. */
interface ContentEntity {
  id: string;
  gymId?: string | null;
  version: number;
  updatedAt: Date;
  deletedAt?: Date | null;
}

interface Declaration<Shape extends z.ZodObject, Entity extends ContentEntity> {
  /** For messages, such as `workout routine`. */
  what: string;
  table: 'exercise' | 'workout_routine' | 'product';
  entity: EntityClass<Entity>;
  /** The columns that are read, as a shape. */
  shape: Shape;
}

/** A declaration with its select list, which is made once and not for every unit of work. */
export interface ContentTableDeclaration<
  Shape extends z.ZodObject,
  Entity extends ContentEntity,
> extends Declaration<Shape, Entity> {
  readonly columns: string;
}

export const contentTable = <Shape extends z.ZodObject, Entity extends ContentEntity>(
  declaration: Declaration<Shape, Entity>,
): ContentTableDeclaration<Shape, Entity> => ({ ...declaration, columns: columnsOf(declaration.shape) });

/** A row of the table. */
interface Row {
  id: string;
  gymId: string | null;
}

/** The rules that exercises, routines and products have in common: who sees and changes a row, versions and pages. */
export class ContentTable<Shape extends z.ZodObject, Entity extends ContentEntity> {
  /** The select list of the shape. */
  readonly columns: string;
  private readonly unit: UnitOfWork;
  private readonly declaration: ContentTableDeclaration<Shape, Entity>;
  private readonly byId = loaderOf<z.infer<Shape> & Row & { isDeleted: boolean }>(
    (ids) =>
      this.unit.read(
        `select ${this.columns}, deleted_at is not null as "isDeleted" from ${this.declaration.table} where id = any(?::uuid[])`,
        [ids],
      ),
    (row) => row.id,
  );

  constructor(unit: UnitOfWork, declaration: ContentTableDeclaration<Shape, Entity>) {
    this.unit = unit;
    this.declaration = declaration;
    this.columns = declaration.columns;
  }

  /** Batched. Null if there is none that the viewer may see. A deleted row is found, because older content refers to it. */
  async find(id: string): Promise<{ row: z.infer<Shape>; isDeleted: boolean } | null> {
    const found = isUuid(id) ? await this.byId.load(id.toLowerCase()) : null;
    if (!found || !maySee(this.unit.viewer, found)) return null;
    const { isDeleted, ...row } = found;
    return { row: row as z.infer<Shape>, isDeleted };
  }

  /** The same as `find`, but null for a deleted row. */
  async findCurrent(id: string): Promise<z.infer<Shape> | null> {
    const found = await this.find(id);
    return found && !found.isDeleted ? found.row : null;
  }

  /** The same as `findCurrent`, but with an error instead of null. @throws NOT_FOUND also for content of another gym */
  async get(id: string): Promise<z.infer<Shape>> {
    const found = await this.findCurrent(id);
    if (!found) throw notFound(this.declaration.what, id);
    return found;
  }

  /** A page in the wanted order; by default the best match first if there is a search, else in the list's own order. */
  page(
    conditions: Conditions,
    search: TextSearch | undefined,
    orders: { wanted: Order | null | undefined; fallback: Order },
    request: PageRequest,
  ): Promise<Page<z.infer<Shape> & Row>> {
    if (search) conditions.add(search.condition, ...search.params);
    return pageOfRows(
      this.unit,
      {
        table: this.declaration.table,
        columns: this.columns,
        conditions,
        order: orders.wanted ?? search?.order ?? orders.fallback,
      },
      request,
    );
  }

  /**
   * Checks whether the viewer may change the content; to be called before costly work for the change, such as encoding a
   * picture. @throws UNAUTHENTICATED, FORBIDDEN, NOT_FOUND
   */
  async requireChange(id: string): Promise<void> {
    const row = (await this.get(id)) as Row;
    requireChange(this.unit.viewer, this.declaration.what, row);
  }

  /**
   * Changes a row and increases its version by one, in one transaction.
   * @param expectedVersion undefined: the last write wins
   * @throws UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, VERSION_CONFLICT
   */
  async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (entity: Entity) => void | Promise<void>,
  ): Promise<Entity> {
    requireAdmin(this.unit.viewer); // before a transaction takes a connection
    return this.unit.transaction(async () => {
      const entity = await this.lock(id, expectedVersion);
      await apply(entity);
      countUp(entity);
      return entity;
    });
  }

  /** The row for a change, locked until the end of the transaction. @throws the errors of `change` */
  async lock(id: string, expectedVersion: number | undefined): Promise<Entity> {
    requireAdmin(this.unit.viewer);
    const { entity, what } = this.declaration;
    const found = isUuid(id)
      ? await this.unit.em.findOne(entity, { id, deletedAt: null } as FilterQuery<Entity>, {
          lockMode: LockMode.PESSIMISTIC_WRITE,
          refresh: true,
        })
      : null;
    if (!found) throw notFound(what, id);
    requireChange(this.unit.viewer, what, found);
    checkVersion(what, expectedVersion, found.version);
    // For later reads in this unit of work.
    await this.unit.afterCommit(() => void this.byId.clear(id.toLowerCase()));
    return found;
  }
}

/** Gives a changed row its next version. */
export function countUp(entity: ContentEntity): void {
  entity.version += 1;
  entity.updatedAt = new Date();
}
