import { DEMO_GYMS, demoId, demoPerson } from '#server/demo-ids.ts';
import { DAY_MILLIS, HOUR_MILLIS } from '#server/durations.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { Order, OrderItem, type CancelReason, type OrderStatus } from '../orders/order.entity.ts';
import { ORDER, orderChanged } from '../orders/order-rows.ts';
import type { OrderShape } from '../orders/orders.shapes.ts';
import { GymProduct, GymProgram } from '../shop/shop.entity.ts';
import { RETURN_REASONS } from '../orders/cancel-orders.ts';
import { StockMovement, type StockMovementKind } from '../shop/stock.entity.ts';
import type { HistoryContext, HistoryGym } from './context.ts';

interface ListedProduct {
  /** The number of the product in the demo data of the content service. Its name is the same there; the price is the gym's. */
  number: number;
  name: string;
  price: number;
  /** Pieces that were received at the beginning, and ten days ago. */
  received: readonly [number, number];
  /** The reason of the movement for the pieces of ten days ago. */
  secondDelivery: string;
  /** The reason of a correction by one piece, if there is one. */
  correction?: string;
}

interface Shop {
  currency: string;
  products: readonly ListedProduct[];
  /** The numbers of routines in the demo data of the content service. */
  routines: readonly number[];
  /** Demo users of the gym. Each has placed one of the newest orders; the other orders are those of random members. */
  buyers: readonly string[];
}

const product = (
  number: number,
  name: string,
  price: number,
  received: readonly [number, number],
  reasons: { secondDelivery?: string; correction?: string } = {},
) => ({
  number,
  name,
  price,
  received,
  secondDelivery: 'Delivery of the week.',
  ...reasons,
});

const SHOPS: Readonly<Record<string, Shop>> = {
  [DEMO_GYMS.ironTemple.id]: {
    currency: 'EUR',
    products: [
      product(1, 'Whey Protein 1 kg', 2_999, [30, 20], {
        secondDelivery: 'Ordered again, because the stock was low.',
      }),
      product(2, 'Creatine Monohydrate 500 g', 1_999, [20, 0]),
      product(5, 'Protein Bars, box of 12', 2_388, [24, 24], { secondDelivery: 'Weekly order of bars.' }),
      product(6, 'Shaker 700 ml', 890, [40, 0], { correction: 'The lid of one is broken.' }),
      product(8, 'Lifting Straps', 1_490, [14, 0]),
      product(10, 'Iron Temple T-Shirt', 2_490, [25, 10], {
        secondDelivery: 'Sizes M and L, which had sold out.',
      }),
    ],
    routines: [1, 5, 6, 13],
    buyers: [demoPerson('maya@iron.test').id, demoPerson('leo@iron.test').id],
  },
  [DEMO_GYMS.aquaClub.id]: {
    currency: 'USD',
    products: [
      product(11, 'Aqua Club Swimming Cap', 1_500, [40, 0]),
      product(9, 'Gym Towel', 1_390, [24, 12], {
        secondDelivery: 'Delivery from the laundry supplier.',
        correction: 'One is missing at the count of the month.',
      }),
      product(6, 'Shaker 700 ml', 990, [18, 6], { correction: 'One was given to a coach.' }),
    ],
    routines: [11, 14],
    buyers: [demoPerson('zoe@aqua.test').id],
  },
};

/** One order that is to be made: its age, its status and, if it is cancelled, the reason. */
interface OrderPlan {
  hoursAgo: number;
  status: OrderStatus;
  reason?: CancelReason;
}

const OPEN: readonly OrderPlan[] = [
  { hoursAgo: 1, status: 'PLACED' },
  { hoursAgo: 5, status: 'PLACED' },
  { hoursAgo: 22, status: 'READY' },
  { hoursAgo: 30, status: 'READY' },
];
const CANCELLED: readonly OrderPlan[] = [
  { hoursAgo: 75, status: 'CANCELLED', reason: 'BY_MEMBER' },
  { hoursAgo: 190, status: 'CANCELLED', reason: 'NOT_COLLECTED' },
  { hoursAgo: 330, status: 'CANCELLED', reason: 'BY_STAFF' },
];
const COLLECTED: readonly OrderPlan[] = Array.from({ length: 14 }, (_unused, index) => ({
  hoursAgo: 50 + index * 43,
  status: 'COLLECTED',
}));

/** Inserts the shop of a gym with orders of every status, and the movements that add up to its stock. */
export async function insertOrders(context: HistoryContext, gym: HistoryGym): Promise<void> {
  const { unit, random } = context;
  const shop = SHOPS[gym.id];
  if (!shop) return;
  const orders = [...OPEN, ...CANCELLED, ...COLLECTED].map((plan, index) =>
    orderRows(context, gym, shop, plan, shop.buyers[index]),
  );
  const movements = shop.products.flatMap((one) => movementsOf(context, gym, one, orders));
  await unit.em.insertMany(
    GymProduct,
    shop.products.map(({ number, price }, position) => {
      const productId = demoId('402', number);
      const stock = movements.findLast((movement) => movement.productId === productId)?.stock ?? 0;
      return { gymId: gym.id, productId, position, price, currency: shop.currency, stock };
    }),
  );
  await unit.em.insertMany(
    GymProgram,
    shop.routines.map((number, position) => ({
      gymId: gym.id,
      routineId: demoId('401', number),
      position,
      note: position === 0 ? 'Begin with this one; the coaches at the desk help with the weights.' : null,
    })),
  );
  await unit.em.insertMany(
    Order,
    orders.map(({ order }) => order),
  );
  await unit.em.insertMany(
    OrderItem,
    orders.flatMap(({ items }) => items),
  );
  await unit.em.insertMany(StockMovement, movements);
  await unit.em.insertMany(
    AuditEvent,
    orders.flatMap(({ order }) => auditOf(random, gym, order)),
  );
  const open = await unit.run<OrderShape>(
    `select ${ORDER} from shop_order where gym_id = ? and status in ('PLACED', 'READY') order by id`,
    [gym.id],
  );
  await recordEvents(
    unit,
    open.map((order) => ({ ...orderChanged(order), occurredAt: new Date(order.readyAt ?? order.createdAt) })),
  );
}

type DemoOrder = ReturnType<typeof orderRows>;

function orderRows(
  { now, random }: HistoryContext,
  gym: HistoryGym,
  { products, currency }: Shop,
  { hoursAgo, status, reason }: OrderPlan,
  buyer: string | undefined,
) {
  const createdAt = new Date(now.getTime() - hoursAgo * HOUR_MILLIS);
  const after = (hours: number) => new Date(createdAt.getTime() + hours * HOUR_MILLIS);
  const expiresAt = after(72);
  const id = random.idAt(createdAt);
  const items = random.some(products, random.int(1, 2)).map(({ number, name, price }, position) => ({
    orderId: id,
    productId: demoId('402', number),
    position,
    name,
    price,
    quantity: random.int(1, 2),
    fromStock: true,
  }));
  const isCollected = status === 'COLLECTED';
  return {
    items,
    order: {
      id,
      gymId: gym.id,
      status,
      currency,
      createdAt,
      expiresAt,
      userId: buyer ?? random.some(gym.memberIds, 1)[0] ?? gym.staffId,
      cancelReason: reason ?? null,
      total: items.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
      readyAt: status === 'READY' || isCollected ? after(4) : null,
      collectedAt: isCollected ? after(26) : null,
      cancelledAt: reason === 'NOT_COLLECTED' ? expiresAt : reason ? after(2) : null,
      version: status === 'PLACED' ? 1 : isCollected ? 3 : 2,
    },
  };
}

/** All movements of a product in the order of time, each with the stock after it. */
function movementsOf(
  { now, random }: HistoryContext,
  gym: HistoryGym,
  { number, received: [first, second], secondDelivery, correction }: ListedProduct,
  orders: readonly DemoOrder[],
) {
  const productId = demoId('402', number);
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MILLIS);
  // By default a movement is one that staff made without an order; `change` replaces both the actor and the order.
  const movement = (createdAt: Date, kind: StockMovementKind, delta: number, reason: string) => ({
    createdAt,
    kind,
    delta,
    reason,
    actorId: gym.staffId as string | null,
    orderId: null as string | null,
  });
  const sold = orders.flatMap(({ order, items }) =>
    items
      .filter((item) => item.productId === productId)
      .flatMap(({ quantity }) => {
        const { id: orderId, userId, createdAt, cancelledAt, cancelReason } = order;
        const actorId =
          cancelReason === 'BY_MEMBER' ? userId : cancelReason === 'BY_STAFF' ? gym.staffId : null;
        const change = (kind: StockMovementKind, delta: number, reason: string) => ({
          ...movement(createdAt, kind, delta, reason),
          orderId,
          actorId: userId,
        });
        return [
          change('SOLD', -quantity, 'An order was placed.'),
          ...(cancelledAt
            ? [
                {
                  ...change('RETURNED', quantity, RETURN_REASONS[cancelReason ?? 'BY_STAFF']),
                  createdAt: cancelledAt,
                  actorId,
                },
              ]
            : []),
        ];
      }),
  );
  let stock = 0;
  return [
    movement(daysAgo(29), 'RECEIVED', first, `First delivery of ${first} pieces.`),
    ...(second ? [movement(daysAgo(10), 'RECEIVED', second, secondDelivery)] : []),
    ...(correction ? [movement(daysAgo(6), 'CORRECTED', -1, correction)] : []),
    ...sold,
  ]
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
    .map((made) => {
      stock += made.delta;
      return { ...made, id: random.idAt(made.createdAt), gymId: gym.id, productId, stock };
    });
}

/** The audit records of what staff did with an order. */
function auditOf(random: HistoryContext['random'], gym: HistoryGym, order: DemoOrder['order']) {
  const { id: orderId, userId, readyAt, collectedAt, cancelledAt, cancelReason } = order;
  const acts = [
    ['ORDER_READY', readyAt],
    ['ORDER_COLLECTED', collectedAt],
    ['ORDER_CANCELLED', cancelReason === 'BY_STAFF' ? cancelledAt : null],
  ] as const;
  return acts.flatMap(([action, at]) =>
    at
      ? [
          {
            id: random.idAt(at),
            gymId: gym.id,
            actorId: gym.staffId,
            action,
            details: { orderId, userId },
            at,
          },
        ]
      : [],
  );
}
