import { LockMode, type EntityClass, type FilterQuery } from '@mikro-orm/core';
import type { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
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
  ownerId?: string | null;
  isPrivate?: boolean;
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
  /** SQL for the fields of the shape whose value is not the column of the same name. */
  expressions?: Readonly<Record<string, string>>;
  /** Whether every user, not only staff, may add rows, which may be private. */
  isOwned?: boolean;
}

/** A declaration with its select list, which is made once and not for every unit of work. */
export interface ContentTableDeclaration<
  Shape extends z.ZodObject,
  Entity extends ContentEntity,
> extends Declaration<Shape, Entity> {
  readonly columns: string;
  /** The columns by which the rights are decided, besides those of the shape. */
  readonly ownership: string;
}

export const contentTable = <Shape extends z.ZodObject, Entity extends ContentEntity>(
  declaration: Declaration<Shape, Entity>,
): ContentTableDeclaration<Shape, Entity> => ({
  ...declaration,
  columns: columnsOf(declaration.shape, declaration.expressions),
  ownership: declaration.isOwned
    ? 'owner_id as "rowOwner", is_private as "rowIsPrivate"'
    : 'null::uuid as "rowOwner", false as "rowIsPrivate"',
});

/** A row of the table. */
interface Row {
  id: string;
  gymId: string | null;
}

/** A row that was found, and whom it belongs to. */
interface Found<Fields> {
  row: Fields;
  isDeleted: boolean;
  content: Parameters<typeof requireChange>[2];
}

interface LoadedRow extends Row {
  isDeleted: boolean;
  rowOwner: string | null;
  rowIsPrivate: boolean;
}

/** The rules that exercises, routines and products have in common: who sees and changes a row, versions and pages. */
export class ContentTable<Shape extends z.ZodObject, Entity extends ContentEntity> {
  /** The select list of the shape. */
  readonly columns: string;
  private readonly unit: UnitOfWork;
  private readonly declaration: ContentTableDeclaration<Shape, Entity>;
  private readonly byId = loaderOf<z.infer<Shape> & LoadedRow>(
    (ids) =>
      this.unit.read(
        `select ${this.columns}, ${this.declaration.ownership}, deleted_at is not null as "isDeleted" from ${this.declaration.table} where id = any(?::uuid[])`,
        [ids],
      ),
    (row) => row.id,
  );

  constructor(unit: UnitOfWork, declaration: ContentTableDeclaration<Shape, Entity>) {
    this.unit = unit;
    this.declaration = declaration;
    this.columns = declaration.columns;
  }

  /** Batched. Null if the viewer may see no row with this id. A deleted row is found, because older content refers to it. */
  async find(id: string): Promise<Found<z.infer<Shape>> | null> {
    const found = await this.load(id);
    return found && maySee(this.unit.viewer, found.content) ? found : null;
  }

  /** The same as `find`, also for a row that the viewer may not see; the calling code checks the rights. */
  async load(id: string): Promise<Found<z.infer<Shape>> | null> {
    const found = isUuid(id) ? await this.byId.load(id) : null;
    if (!found) return null;
    const { isDeleted, rowOwner, rowIsPrivate, ...row } = found;
    return {
      row: row as z.infer<Shape>,
      isDeleted,
      content: { id: found.id, gymId: found.gymId, ownerId: rowOwner, isPrivate: rowIsPrivate },
    };
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
   * Checks whether the viewer may give the content a picture, before the costly encoding. Only staff may, because pictures
   * are not erased with an account. @throws UNAUTHENTICATED, FORBIDDEN, NOT_FOUND
   */
  async requirePicture(id: string): Promise<void> {
    requireAdmin(this.unit.viewer);
    const found = await this.find(id);
    if (!found || found.isDeleted) throw notFound(this.declaration.what, id);
    requireChange(this.unit.viewer, this.declaration.what, found.content);
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
    this.requireAuthor(); // before a transaction takes a connection
    return this.unit.transaction(async () => {
      const entity = await this.lock(id, expectedVersion);
      await apply(entity);
      countUp(entity);
      return entity;
    });
  }

  /** Refuses callers who may change no row of the table. @throws UNAUTHENTICATED, FORBIDDEN */
  requireAuthor(): void {
    if (this.declaration.isOwned) requireUser(this.unit.viewer);
    else requireAdmin(this.unit.viewer);
  }

  /** The row for a change, locked until the end of the transaction. @throws the errors of `change` */
  async lock(id: string, expectedVersion: number | undefined): Promise<Entity> {
    this.requireAuthor();
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
    // Later reads in this unit of work must get the changed row.
    await this.unit.afterCommit(() => void this.byId.clear(id));
    return found;
  }
}

/** Gives a changed row its next version. */
export function countUp(entity: ContentEntity): void {
  entity.version += 1;
  entity.updatedAt = new Date();
}
