import { actorOf, requireUser, type UserViewer } from '#server/auth/viewer.ts';
import { checkVersion, conflict, forbidden, notFound } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayManage, maySeeOrder } from '../access.ts';
import { audit } from '../audit/audit.ts';
import { cancelOrders } from './cancel-orders.ts';
import type { OrderStatus } from './order.entity.ts';
import { ORDER, orderChanged } from './order-rows.ts';
import { UpdateOrderInput, type OrderShape } from './orders.shapes.ts';

/** The statuses that may follow each status, by who changes the order. */
const NEXT: Readonly<Record<'staff' | 'owner', Readonly<Record<OrderStatus, readonly OrderStatus[]>>>> = {
  staff: {
    PLACED: ['READY', 'CANCELLED'],
    READY: ['COLLECTED', 'CANCELLED'],
    COLLECTED: [],
    CANCELLED: [],
  },
  owner: { PLACED: ['CANCELLED'], READY: [], COLLECTED: [], CANCELLED: [] },
};

export async function changeOrder(
  unit: UnitOfWork,
  id: string,
  input: unknown,
  expectedVersion?: number,
): Promise<OrderShape> {
  const viewer = requireUser(unit.viewer);
  const { status, version } = validated(UpdateOrderInput, input);
  return unit.transaction(async () => {
    const order = await lockedOrder(unit, id);
    if (!maySeeOrder(viewer, order)) throw notFound('order', id);
    const isStaff = mayManage(viewer, order);
    if (!isStaff && status !== 'CANCELLED')
      throw forbidden("Only the gym's staff may move an order to this status; you may cancel it.");
    checkVersion('order', expectedVersion ?? version, order.version);
    checkNext(order, status, isStaff);
    const changed = await moveTo(unit, order, status, isByStaff(viewer, order) ? 'BY_STAFF' : 'BY_MEMBER');
    if (isStaff)
      await audit(unit, {
        gymId: order.gymId,
        actorId: actorOf(viewer),
        action: `ORDER_${status}`,
        details: { orderId: id, userId: order.userId },
      });
    return changed;
  });
}

/** Locks the order, and its gym before it, see `preventWithdrawalOfGym`. @throws NOT_FOUND */
async function lockedOrder(unit: UnitOfWork, id: string): Promise<OrderShape> {
  if (!isUuid(id)) throw notFound('order', id);
  await unit.run('select 1 from gym where id = (select gym_id from shop_order where id = ?) for key share', [
    id,
  ]);
  const [order] = await unit.run<OrderShape>(
    `select ${ORDER} from shop_order where id = ? for no key update`,
    [id],
  );
  if (!order) throw notFound('order', id);
  return order;
}

/** @throws CONFLICT if the status does not follow the current one */
function checkNext(order: OrderShape, status: OrderStatus, isStaff: boolean): void {
  const next = NEXT[isStaff ? 'staff' : 'owner'][order.status];
  if (next.includes(status)) return;
  throw conflict(
    next.length > 0
      ? `The order is ${order.status}; you may change it to ${next.join(' or ')}.`
      : `The order is ${order.status}; ${order.status === 'READY' ? 'only staff can change it now' : 'it cannot be changed any more'}.`,
  );
}

const isByStaff = (viewer: UserViewer, { userId }: OrderShape): boolean => viewer.userId !== userId;

async function moveTo(
  unit: UnitOfWork,
  { id }: OrderShape,
  status: OrderStatus,
  by: 'BY_STAFF' | 'BY_MEMBER',
): Promise<OrderShape> {
  if (status === 'CANCELLED') {
    const [cancelled] = await cancelOrders(unit, [id], by);
    if (!cancelled) throw notFound('order', id);
    return cancelled;
  }
  const column = status === 'READY' ? 'ready_at' : 'collected_at';
  const [changed] = await unit.run<OrderShape>(
    `update shop_order set status = ?, ${column} = ?, version = version + 1 where id = ? returning ${ORDER}`,
    [status, new Date().toISOString(), id],
  );
  if (!changed) throw notFound('order', id);
  await recordEvents(unit, [orderChanged(changed)]);
  return changed;
}
