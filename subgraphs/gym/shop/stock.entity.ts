import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';

export const StockMovementKind = {
  RECEIVED: 'RECEIVED',
  SOLD: 'SOLD',
  CORRECTED: 'CORRECTED',
  RETURNED: 'RETURNED',
} as const;
export type StockMovementKind = (typeof StockMovementKind)[keyof typeof StockMovementKind];

/**
 * A change of a gym's stock of a product. The movements of a product add up to its stock, or to 0 if the product is not
 * listed or not counted. A movement is never changed, except that `actorId` becomes null when the account is deleted.
 */
const StockMovementSchema = defineEntity({
  name: 'StockMovement',
  tableName: 'stock_movement',
  indexes: [{ properties: ['gymId', 'productId', 'id'] }, { properties: ['actorId', 'id'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    productId: p.uuid(),
    kind: p.string().length(16).$type<StockMovementKind>(),
    delta: p.integer(),
    /** The stock after the movement. */
    stock: p.integer(),
    reason: p.string().length(200),
    /** The order that caused the movement; it has no foreign key, because the movement stays if the order is removed. */
    orderId: p.uuid().nullable(),
    /** The user who caused the movement; null if a job did, or if the account is deleted. */
    actorId: p.uuid().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class StockMovement extends StockMovementSchema.class {}
StockMovementSchema.setClass(StockMovement);

/** The version of a gym's list of products, which increases when staff replace the list. */
const ProductListSchema = defineEntity({
  name: 'ProductList',
  tableName: 'gym_product_list',
  properties: {
    gymId: () =>
      p.manyToOne(Gym).primary().mapToPk().joinColumn('gym_id').deleteRule('cascade').updateRule('no action'),
    version: p.integer(),
  },
});

export class ProductList extends ProductListSchema.class {}
ProductListSchema.setClass(ProductList);
