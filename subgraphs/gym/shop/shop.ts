import { isDeepStrictEqual } from 'node:util';
import { requireGymAdmin } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { notFound } from '#server/errors.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import { listLoaderOf } from '#server/loaders.ts';
import type { References } from '#server/references/references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { lockGym } from '../gyms/gym-locks.ts';
import type { Gyms } from '../gyms/gyms.ts';
import { PRODUCTS, writeListed } from './content-references.ts';
import { replaceList } from './replace-list.ts';
import { GymProduct } from './shop.entity.ts';
import { GymProductShape, ProductsInput } from './shop.shapes.ts';

/** The products of the content service in a gym's shop, in the gym's order and with its prices. Everybody may read them. */
export class Shop {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;
  private readonly references: References;
  private readonly byGym = listLoaderOf(
    (gymIds) =>
      this.unit.em.find(GymProduct, { gymId: { $in: [...gymIds] } }, { orderBy: { position: 'asc' } }),
    (product) => product.gymId,
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

  /** Replaces the whole list. @throws VALIDATION_FAILED, with an error for each product that belongs neither to the gym nor to all gyms */
  async replace(gymId: string, input: unknown): Promise<GymProductShape[]> {
    const { id } = await this.gyms.get(gymId);
    requireGymAdmin(this.unit.viewer, id);
    const { products } = validated(ProductsInput, input);
    const rows = products.map(({ productId, price, currency, stock }, position) => ({
      gymId: id,
      productId,
      position,
      price: price ?? null,
      currency: currency ?? null,
      stock: stock ?? null,
    }));
    const listed = {
      type: PRODUCTS,
      list: 'products',
      gymId: id,
      ids: rows.map(({ productId }) => productId),
    };
    await writeListed(this.unit, this.references, listed, async () => {
      if (!(await lockGym(this.unit, id))) throw notFound('gym', id);
      const before = await this.unit.em
        .fork({ keepTransactionContext: true })
        .find(GymProduct, { gymId: id });
      await replaceList(this.unit, GymProduct, id, rows);
      await recordEvents(this.unit, changedProducts(before.map(present), rows.map(present)));
    });
    this.byGym.clear(id);
    return this.list(id);
  }

  /** Removes the product from the list of every gym. */
  async forget(productId: string): Promise<void> {
    const removed = await this.unit.em.execute<{ gymId: string; productId: string }[]>(
      'delete from gym_product where product_id = ? returning gym_id as "gymId", product_id as "productId"',
      [productId],
    );
    await recordEvents(this.unit, removed.map(productChanged));
  }
}

const present = (product: Parameters<typeof presented<typeof GymProductShape>>[1]): GymProductShape =>
  presented(GymProductShape, product);

/** The events of the products that were added to a list, changed in it or removed from it. */
function changedProducts(before: readonly GymProductShape[], after: readonly GymProductShape[]): NewEvent[] {
  const earlier = new Map(before.map((product) => [product.productId, product]));
  const listed = new Set(after.map(({ productId }) => productId));
  const isChanged = (product: GymProductShape): boolean =>
    !isDeepStrictEqual(earlier.get(product.productId), product);
  return [
    ...after.filter(isChanged).map(productChanged),
    ...before
      .filter(({ productId }) => !listed.has(productId))
      .map(({ gymId, productId }) => productChanged({ gymId, productId })),
  ];
}

const productChanged = (data: { gymId: string; productId: string }): NewEvent => ({
  type: 'product.changed',
  gymId: data.gymId,
  subject: `gym-product/${data.productId}`,
  data,
});
