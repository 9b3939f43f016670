import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';

export const OrderStatus = {
  PLACED: 'PLACED',
  READY: 'READY',
  COLLECTED: 'COLLECTED',
  CANCELLED: 'CANCELLED',
} as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** Why an order was cancelled. */
export const CancelReason = {
  BY_MEMBER: 'BY_MEMBER',
  BY_STAFF: 'BY_STAFF',
  NOT_COLLECTED: 'NOT_COLLECTED',
  MEMBERSHIP_ENDED: 'MEMBERSHIP_ENDED',
  ACCOUNT_DELETED: 'ACCOUNT_DELETED',
} as const;
export type CancelReason = (typeof CancelReason)[keyof typeof CancelReason];

/** What a user wants to collect and pay at the desk of their gym. */
const OrderSchema = defineEntity({
  name: 'Order',
  tableName: 'shop_order', // `order` is a reserved word of SQL
  indexes: [
    { properties: ['gymId', 'id'] },
    { properties: ['gymId', 'status', 'id'] },
    { properties: ['userId', 'id'] },
    // for the orders that nobody has collected in time
    {
      name: 'shop_order_open',
      expression: `create index "shop_order_open" on "shop_order" ("expires_at") where "status" in ('PLACED', 'READY')`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    /** Null once the account is deleted. */
    userId: p.uuid().nullable(),
    status: p.string().length(16).$type<OrderStatus>(),
    cancelReason: p.string().length(32).$type<CancelReason>().nullable(),
    /** The sum of the items, in minor units of `currency`. */
    total: p.integer(),
    currency: p.string().length(3),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** An order that is not collected before this time is cancelled. */
    expiresAt: p.datetime(),
    readyAt: p.datetime().nullable(),
    collectedAt: p.datetime().nullable(),
    cancelledAt: p.datetime().nullable(),
    /** Increases with every change. */
    version: p.integer().default(1),
  },
});

export class Order extends OrderSchema.class {}
OrderSchema.setClass(Order);

/** A product in an order, with its name and price at the time of the order. */
const OrderItemSchema = defineEntity({
  name: 'OrderItem',
  tableName: 'shop_order_item',
  properties: {
    orderId: () => p.manyToOne(Order).primary().mapToPk().joinColumn('order_id').deleteRule('cascade'),
    productId: p.uuid().primary(),
    position: p.integer(),
    name: p.string().length(120),
    quantity: p.integer(),
    /** The price of one piece, in minor units. */
    price: p.integer(),
    /** Whether the pieces were taken from a counted stock, so that they are given back if the order is cancelled. */
    fromStock: p.boolean(),
  },
});

export class OrderItem extends OrderItemSchema.class {}
OrderItemSchema.setClass(OrderItem);
