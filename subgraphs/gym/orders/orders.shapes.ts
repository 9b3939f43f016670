import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { gymQuery, uuid, versionNumber } from '#server/shapes.ts';
import { CancelReason, OrderStatus } from './order.entity.ts';

const MAX_ITEMS = 50;
export const MAX_QUANTITY = 99;

export const OrderItemShape = z
  .object({
    productId: uuid(),
    name: z.string(),
    quantity: z.int(),
    price: z.int(),
  })
  .meta({ id: 'OrderItem' });
export type OrderItemShape = z.infer<typeof OrderItemShape>;

export const OrderShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    userId: uuid().nullable(),
    items: z.array(OrderItemShape),
    total: z.int(),
    currency: z.string(),
    status: z.enum(OrderStatus),
    cancelReason: z.enum(CancelReason).nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    readyAt: z.iso.datetime().nullable(),
    collectedAt: z.iso.datetime().nullable(),
    cancelledAt: z.iso.datetime().nullable(),
    version: z.int(),
  })
  .meta({ id: 'Order' });
export type OrderShape = z.infer<typeof OrderShape>;

const expectedQuantity = `expected a whole number from 1 to ${MAX_QUANTITY}`;

export const PlaceOrderInput = z
  .object({
    gymId: uuid().nullish(),
    items: z
      .array(
        z
          .object({
            productId: uuid(),
            quantity: z.int(expectedQuantity).min(1, expectedQuantity).max(MAX_QUANTITY, expectedQuantity),
          })
          .meta({ graphType: 'OrderItemInput' }),
      )
      .min(1, 'expected at least one item')
      .max(MAX_ITEMS, `expected at most ${MAX_ITEMS} items`),
  })
  .meta({ graphType: 'PlaceOrderInput' });

const status = z.enum(OrderStatus, `expected one of ${Object.values(OrderStatus).join(', ')}`);

export const UpdateOrderInput = z
  .object({ status, version: versionNumber.nullish() })
  .meta({ graphType: 'UpdateOrderInput' });

/** Which orders a list contains. */
export const OrdersFilter = z.object({
  status: status.nullish(),
  userId: uuid('expected the id of a user').nullish(),
  gymId: uuid('expected the id of a gym').nullish(),
});

export const OrdersQuery = pageQuery.extend({
  status: status.optional().meta({ description: 'Only orders with this status.' }),
  userId: uuid().optional().meta({
    description:
      'Only orders of this user. A MEMBER may name only themselves, and gets their own orders without it.',
  }),
  ...gymQuery.shape,
});
