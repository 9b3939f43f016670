import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import type { NewEvent } from '#server/events/record-events.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { preventWithdrawalOfGym } from '../gyms/gym-locks.ts';
import { productChanged } from '../shop/product-events.ts';
import { moveStock } from '../shop/stock-movements.ts';
import type { CancelReason } from './order.entity.ts';
import { ORDER, orderChanged } from './order-rows.ts';
import type { OrderShape } from './orders.shapes.ts';

const TakenShape = z.object({
  orderId: uuid(),
  gymId: uuid(),
  productId: uuid(),
  quantity: z.int(),
});
type Taken = z.infer<typeof TakenShape>;

/**
 * Cancels orders and gives their pieces back to the stock; returns the orders. The calling rule has locked the orders, and
 * has checked that they may be cancelled.
 */
export async function cancelOrders(
  unit: UnitOfWork,
  ids: readonly string[],
  reason: CancelReason,
): Promise<OrderShape[]> {
  if (ids.length === 0) return [];
  const taken = await lockTaken(unit, ids);
  await unit.run(
    `update shop_order set status = 'CANCELLED', cancel_reason = ?, cancelled_at = ?, version = version + 1
     where id = any(?::uuid[])`,
    [reason, new Date().toISOString(), ids],
  );
  const orders = await unit.read<OrderShape>(
    `select ${ORDER} from shop_order where id = any(?::uuid[]) order by id`,
    [ids],
  );
  const events: NewEvent[] = [];
  for (const order of orders) {
    const returned = taken
      .filter(({ orderId }) => orderId === order.id)
      .map(({ productId, quantity }) => ({ productId, delta: quantity }));
    const cause = { kind: 'RETURNED', reason: RETURN_REASONS[reason], orderId: order.id } as const;
    const moved = returned.length > 0 ? await moveStock(unit, order.gymId, returned, cause) : undefined;
    events.push(orderChanged(order), ...(moved?.products ?? []).map(productChanged));
  }
  await recordEvents(unit, events);
  return orders;
}

/**
 * The pieces that these orders have taken from counted stocks, without products that the gym no longer lists. The products
 * are locked in the order of `lockProducts`, before any of them is changed.
 */
async function lockTaken(unit: UnitOfWork, orderIds: readonly string[]): Promise<Taken[]> {
  return unit.run<Taken>(
    `select item.order_id as "orderId", gym_product.gym_id as "gymId", item.product_id as "productId", item.quantity
     from shop_order_item as item join shop_order on shop_order.id = item.order_id
     join gym_product on gym_product.gym_id = shop_order.gym_id and gym_product.product_id = item.product_id
     where item.order_id = any(?::uuid[]) and item.from_stock
     order by gym_product.gym_id, gym_product.product_id for no key update of gym_product`,
    [orderIds],
  );
}

/** The reason of the movement that gives the pieces of a cancelled order back to the stock. */
export const RETURN_REASONS: Readonly<Record<CancelReason, string>> = {
  BY_MEMBER: 'The member has cancelled the order.',
  BY_STAFF: 'Staff have cancelled the order.',
  NOT_COLLECTED: 'The order was not collected in time.',
  MEMBERSHIP_ENDED: 'The membership has ended.',
  ACCOUNT_DELETED: 'The account was deleted.',
};

/**
 * Cancels a user's PLACED orders at a gym, because their membership has ended; orders that are READY stay. It runs in the
 * open transaction, or in its own if there is none.
 * @returns the number of cancelled orders
 */
export async function cancelOrdersOf(unit: UnitOfWork, gymId: string, userId: string): Promise<number> {
  return unit.transaction(async () => {
    await preventWithdrawalOfGym(unit, gymId);
    const orders = await unit.run<{ id: string }>(
      `select id from shop_order where user_id = ? and gym_id = ? and status = 'PLACED' order by id for no key update`,
      [userId, gymId],
    );
    return (
      await cancelOrders(
        unit,
        orders.map(({ id }) => id),
        'MEMBERSHIP_ENDED',
      )
    ).length;
  });
}

/** Cancels all open orders of a user whose account is being erased, in the transaction of the erasure. */
export async function cancelAllOrdersOf(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.run(
    `select 1 from gym where id = any(array(
       select gym_id from shop_order where user_id = ? and status in ('PLACED', 'READY'))) order by id for key share`,
    [userId],
  );
  const orders = await unit.run<{ id: string }>(
    `select id from shop_order where user_id = ? and status in ('PLACED', 'READY') order by id for no key update`,
    [userId],
  );
  await cancelOrders(
    unit,
    orders.map(({ id }) => id),
    'ACCOUNT_DELETED',
  );
}
