import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { cancelOrders } from './cancel-orders.ts';

/** The most orders that one transaction cancels, so that no request waits long for the stock of their products. */
const CANCELLED_AT_ONCE = 50;

/** Every minute: cancels the orders that nobody has collected in time. */
export const cancelExpiredOrders = jobOf<object>()({
  name: 'cancel_expired_orders',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unitOf, signal }) {
    let cancelled = CANCELLED_AT_ONCE;
    while (cancelled === CANCELLED_AT_ONCE && !signal.aborted) cancelled = await cancelDue(unitOf());
  },
});

/** Returns the number of cancelled orders. If it is `CANCELLED_AT_ONCE`, there may be more. */
async function cancelDue(unit: UnitOfWork): Promise<number> {
  return unit.transaction(async () => {
    const due = await unit.read<{ id: string }>(
      `select id from shop_order where status in ('PLACED', 'READY') and expires_at <= now()
       order by expires_at limit ${CANCELLED_AT_ONCE}`,
      [],
    );
    const ids = due.map(({ id }) => id);
    // The gyms are locked before their orders, see `preventWithdrawalOfGym`.
    await unit.run(
      'select 1 from gym where id = any(array(select gym_id from shop_order where id = any(?::uuid[]))) order by id for key share',
      [ids],
    );
    // An order that another transaction has locked is skipped. If it is still open afterwards, the next run finds it.
    const locked = await unit.run<{ id: string }>(
      `select id from shop_order where id = any(?::uuid[]) and status in ('PLACED', 'READY')
       order by id for no key update skip locked`,
      [ids],
    );
    await cancelOrders(
      unit,
      locked.map(({ id }) => id),
      'NOT_COLLECTED',
    );
    return locked.length;
  });
}
