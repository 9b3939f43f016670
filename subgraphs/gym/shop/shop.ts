import { requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { checkVersion, notFound } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { loaderOf } from '#server/loaders.ts';
import type { References } from '#server/references/references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { audit } from '../audit/audit.ts';
import { lockGym } from '../gyms/gym-locks.ts';
import type { Gyms } from '../gyms/gyms.ts';
import { uncachedListLoaderOf } from '../uncached-loaders.ts';
import { PRODUCTS, writeListed } from './content-references.ts';
import { changedProducts, productChanged } from './product-events.ts';
import { GymProduct } from './shop.entity.ts';
import { GymProductShape, ProductsInput, type StockMovementShape } from './shop.shapes.ts';
import { ProductList } from './stock.entity.ts';
import { lockAllProducts, lockEverywhere, movementOf, recordMovements } from './stock-movements.ts';

/** A row of the list. */
type ListedProduct = GymProductShape & { position: number };

/** The products of the content service in a gym's shop, in the gym's order and with its prices. Everybody may read them. */
export class Shop {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;
  private readonly references: References;
  private readonly byGym = uncachedListLoaderOf(
    (gymIds) =>
      this.unit.em.find(
        GymProduct,
        { gymId: { $in: [...gymIds] } },
        { orderBy: { position: 'asc' }, disableIdentityMap: true },
      ),
    (product) => product.gymId,
  );
  private readonly versions = loaderOf(
    (gymIds) => this.unit.em.find(ProductList, { gymId: { $in: [...gymIds] } }, { disableIdentityMap: true }),
    (list) => list.gymId,
  );

  constructor(unit: UnitOfWork, gyms: Gyms, references: References) {
    this.unit = unit;
    this.gyms = gyms;
    this.references = references;
  }

  async list(gymId: string): Promise<GymProductShape[]> {
    const { id } = await this.gyms.get(gymId);
    return (await this.byGym.load(id)).map(present);
  }

  /** The version of the list. It increases when staff replace the list, not with orders and corrections of the stock. */
  async version(gymId: string): Promise<number> {
    const { id } = await this.gyms.get(gymId);
    return (await this.versions.load(id))?.version ?? FIRST_VERSION;
  }

  /**
   * Replaces the whole list. A product without `stock` keeps its stock. Audited.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   * @throws VALIDATION_FAILED, with an error for each product that belongs neither to the gym nor to all gyms;
   * VERSION_CONFLICT
   */
  async replace(gymId: string, input: unknown, expectedVersion?: number): Promise<GymProductShape[]> {
    const { id } = await this.gyms.get(gymId);
    requireGymAdmin(this.unit.viewer, id);
    const { products, version } = validated(ProductsInput, input);
    const listed = {
      type: PRODUCTS,
      list: 'products',
      gymId: id,
      ids: products.map(({ productId }) => productId),
    };
    await writeListed(this.unit, this.references, listed, async () => {
      if (!(await lockGym(this.unit, id))) throw notFound('gym', id);
      await this.raiseVersion(id, expectedVersion ?? version);
      const before = await lockAllProducts(this.unit, id);
      const stocks = new Map(before.map(({ productId, stock }) => [productId, stock]));
      const after = products.map(({ productId, price, currency, stock }, position): ListedProduct => {
        const stored = stocks.get(productId) ?? null;
        return {
          gymId: id,
          productId,
          position,
          price: price ?? null,
          currency: currency ?? null,
          stock: stock === undefined ? stored : stock,
        };
      });
      await this.write(id, after);
      await recordMovements(this.unit, this.movementsBetween(before, after));
      await recordEvents(this.unit, changedProducts(before, after.map(present)));
      await audit(this.unit, {
        gymId: id,
        actorId: requireUser(this.unit.viewer).userId,
        action: 'PRODUCTS_REPLACED',
        details: { products: after.length },
      });
    });
    this.versions.clear(id);
    return this.list(id);
  }

  /** Removes the product from the list of every gym. */
  async forget(productId: string): Promise<void> {
    const listed = await lockEverywhere(this.unit, productId);
    await this.unit.em.nativeDelete(GymProduct, { productId });
    await recordMovements(this.unit, this.movementsBetween(listed, []));
    await recordEvents(
      this.unit,
      listed.map(({ gymId }) => productChanged({ gymId, productId })),
    );
  }

  /**
   * Increases the version of the list. The gym is locked, so the row cannot change between the check and the write.
   * @throws VERSION_CONFLICT
   */
  private async raiseVersion(gymId: string, expected: number | null | undefined): Promise<void> {
    const [list] = await this.unit.run<{ version: number }>(
      'select version from gym_product_list where gym_id = ?',
      [gymId],
    );
    const stored = list?.version ?? FIRST_VERSION;
    checkVersion('list of products', expected, stored);
    await this.unit.run(
      `insert into gym_product_list (gym_id, version) values (?, ?) on conflict (gym_id) do update set version = excluded.version`,
      [gymId, stored + 1],
    );
  }

  /**
   * Stores the list. Rows of products that stay are changed and not replaced: an order that waits for the lock of a row
   * would not find the new one.
   */
  private async write(gymId: string, products: readonly ListedProduct[]): Promise<void> {
    const column = <Field extends keyof ListedProduct>(field: Field) => products.map((row) => row[field]);
    await this.unit.run('delete from gym_product where gym_id = ? and product_id <> all(?::uuid[])', [
      gymId,
      column('productId'),
    ]);
    await this.unit.run(
      `insert into gym_product (gym_id, product_id, position, price, currency, stock)
       select ?::uuid, * from unnest(?::uuid[], ?::int[], ?::int[], ?::text[], ?::int[])
       on conflict (gym_id, product_id) do update set
         position = excluded.position, price = excluded.price, currency = excluded.currency, stock = excluded.stock`,
      [gymId, column('productId'), column('position'), column('price'), column('currency'), column('stock')],
    );
  }

  /** The movements that a change of the list causes. A product that is not listed, or not counted, has the stock 0. */
  private movementsBetween(
    before: readonly GymProductShape[],
    after: readonly GymProductShape[],
  ): StockMovementShape[] {
    const kept = new Set(after.map(({ productId }) => productId));
    const earlier = new Map(before.map(({ productId, stock }) => [productId, stock]));
    const changes = [
      ...after.map(({ gymId, productId, stock }) => ({
        change: { gymId, productId, delta: (stock ?? 0) - (earlier.get(productId) ?? 0), stock: stock ?? 0 },
        cause: causeOf(earlier.get(productId) ?? null, stock),
      })),
      ...before
        .filter(({ productId }) => !kept.has(productId))
        .map(({ gymId, productId, stock }) => ({
          change: { gymId, productId, delta: -(stock ?? 0), stock: 0 },
          cause: REMOVED,
        })),
    ];
    return changes
      .filter(({ change }) => change.delta !== 0)
      .map(({ change, cause }) => movementOf(this.unit, change, cause));
  }
}

const FIRST_VERSION = 1;

const REMOVED = { kind: 'CORRECTED', reason: 'The product was removed from the list.' } as const;

function causeOf(before: number | null, after: number | null) {
  if (before === null) return { kind: 'RECEIVED', reason: 'The stock is counted from now on.' } as const;
  if (after === null) return { kind: 'CORRECTED', reason: 'The stock is not counted from now on.' } as const;
  return { kind: 'CORRECTED', reason: 'The stock was set with the list.' } as const;
}

const present = (product: Parameters<typeof presented<typeof GymProductShape>>[1]): GymProductShape =>
  presented(GymProductShape, product);
