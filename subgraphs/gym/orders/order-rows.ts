import type { RecordSource } from '#server/accounts/account-part.ts';
import { columnsOf } from '#server/database/columns.ts';
import type { NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { OrderShape } from './orders.shapes.ts';

/** The columns of an order. Its items are sorted by `position`, as in the request. */
export const ORDER = columnsOf(OrderShape, {
  items: `(select jsonb_agg(jsonb_build_object('productId', product_id, 'name', name, 'quantity', quantity, 'price', price) order by position)
    from shop_order_item where order_id = shop_order.id)`,
});

export const orderChanged = (order: OrderShape): NewEvent => ({
  type: 'order.changed',
  gymId: order.gymId,
  subject: `order/${order.id}`,
  data: order,
});

/** The orders of a user with their items, for an export of their account. */
export const orderRecords =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const orders = await unit.read<OrderShape>(
      `select ${ORDER} from shop_order where user_id = ?${after ? ' and id > ?' : ''} order by id limit ?`,
      [userId, ...(after ? [after[0]] : []), limit],
    );
    return orders.map((record) => ({ key: [record.id], record }));
  };
