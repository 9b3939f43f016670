import { Reply, restRoute } from '#server/rest/route.ts';
import { idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Orders } from './orders.ts';
import { OrderShape, OrdersQuery, PlaceOrderInput, UpdateOrderInput } from './orders.shapes.ts';

const route = restRoute<{ orders: Orders }>(TAGS.orders, 'shop');

export const ordersRest = [
  route({
    method: 'GET',
    path: '/orders',
    operationId: 'listOrders',
    summary: "Orders, newest first: the caller's own, or those of the gym that they manage",
    description:
      'Without `userId`, a MEMBER gets their own orders, staff and machine clients get those of the gym.',
    scopes: ['orders:read'],
    auth: 'required',
    query: OrdersQuery,
    success: { status: 200, description: 'A page of orders.', shape: OrderShape, page: true },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'GYM_REQUIRED'],
    handler: ({ query: { limit, cursor, ...filter } }, { orders }) => orders.list(filter, { limit, cursor }),
  }),
  route({
    method: 'POST',
    path: '/orders',
    operationId: 'placeOrder',
    summary: "Order products from the shop of the caller's gym",
    description:
      'The pieces are reserved at once, or the order is refused as a whole. It is collected and paid at the desk within 72 hours, or it is cancelled. If a product is named twice, its quantities are added.',
    auth: 'required',
    body: PlaceOrderInput,
    success: { status: 201, description: 'The order.', shape: OrderShape },
    errors: ['FORBIDDEN', 'CONFLICT', 'GYM_REQUIRED', 'OUT_OF_STOCK', 'UPSTREAM_UNAVAILABLE'],
    handler: async ({ body }, { orders }) => {
      const order = await orders.place(body);
      return new Reply(201, order, { Location: `/orders/${order.id}` });
    },
  }),
  route({
    method: 'GET',
    path: '/orders/:id',
    operationId: 'getOrder',
    summary: 'One order',
    scopes: ['orders:read'],
    auth: 'required',
    params: idParams,
    success: { status: 200, description: 'The order.', shape: OrderShape },
    handler: ({ params }, { orders }) => orders.get(params.id),
  }),
  route({
    method: 'PUT',
    path: '/orders/:id',
    operationId: 'updateOrder',
    summary: 'Move an order to its next status, or cancel it',
    description:
      'Staff move an order from PLACED to READY and to COLLECTED, and may cancel it until it is collected. The user who placed it may cancel it while it is PLACED. A cancelled order gives its pieces back to the stock. Every change by staff is audited.',
    auth: 'required',
    params: idParams,
    body: UpdateOrderInput,
    versioned: true,
    success: { status: 200, description: 'The changed order.', shape: OrderShape },
    errors: ['FORBIDDEN', 'CONFLICT'],
    handler: ({ params, body, expectedVersion }, { orders }) =>
      orders.update(params.id, body, expectedVersion),
  }),
];
