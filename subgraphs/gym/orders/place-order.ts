import { z } from 'zod';
import { requireGym, requireUser } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { HOUR_MILLIS } from '#server/durations.ts';
import { invalid, PlatformError } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { uuidv7 } from '#server/ids.ts';
import type { References } from '#server/references/references.ts';
import { MAX_INTEGER } from '#server/shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields, validated } from '#server/validate.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { productChanged } from '../shop/product-events.ts';
import { GymProductShape } from '../shop/shop.shapes.ts';
import { lockProducts, moveStock } from '../shop/stock-movements.ts';
import { orderChanged } from './order-rows.ts';
import { MAX_QUANTITY, PlaceOrderInput, type OrderShape } from './orders.shapes.ts';

/** An order that is not collected within this time is cancelled. */
const COLLECTED_WITHIN_MILLIS = 72 * HOUR_MILLIS;

/** What an order stores of a product of the content service. */
const ORDERED_PRODUCT = {
  owner: 'content',
  typeName: 'Product',
  shape: z.object({ id: z.string(), name: z.string(), price: z.int(), currency: z.string() }),
} as const;

type ContentProduct = z.infer<(typeof ORDERED_PRODUCT)['shape']>;
type ContentProducts = ReadonlyMap<string, ContentProduct>;

interface Wanted {
  productId: string;
  quantity: number;
  /** The positions of the product in the input, for errors such as `items.2.quantity`. */
  positions: number[];
}

interface PricedItem extends Wanted {
  name: string;
  price: number;
  currency: string;
  fromStock: boolean;
}

export async function placeOrder(
  unit: UnitOfWork,
  references: References,
  input: unknown,
): Promise<OrderShape> {
  const { userId } = requireUser(unit.viewer);
  const { gymId: chosen, items } = validated(PlaceOrderInput, input);
  const gymId = requireGym(unit.viewer, chosen);
  const wanted = addedUp(items);
  const ids = wanted.map(({ productId }) => productId);
  // Most orders that cannot be placed are refused here, without a lock and without a call of the content service.
  checkListed(wanted, await listedNow(unit, gymId, ids));
  // The request is made as the service and not as the caller, because a member may order whatever their gym lists.
  const products = await references.find(ORDERED_PRODUCT, ids, { as: 'service', origin: unit.origin });
  return unit.transaction(async () => {
    await requireOpenGym(unit, gymId);
    const priced = pricedItems(wanted, await lockProducts(unit, gymId, ids), products);
    const order = orderOf({ gymId, userId }, priced);
    await insertOrder(unit, order, priced);
    const taken = priced
      .filter(({ fromStock }) => fromStock)
      .map(({ productId, quantity }) => ({ productId, delta: -quantity }));
    const moved = await moveStock(unit, gymId, taken, {
      kind: 'SOLD',
      reason: 'An order was placed.',
      orderId: order.id,
    });
    await recordEvents(unit, [orderChanged(order), ...moved.products.map(productChanged)]);
    return order;
  });
}

/** Each product once, with the sum of its quantities. @throws VALIDATION_FAILED if the sum is too large */
function addedUp(items: readonly { productId: string; quantity: number }[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const [position, { productId, quantity }] of items.entries()) {
    const known = wanted.get(productId) ?? { productId, quantity: 0, positions: [] };
    known.quantity += quantity;
    known.positions.push(position);
    wanted.set(productId, known);
  }
  const tooMany = [...wanted.values()].filter(({ quantity }) => quantity > MAX_QUANTITY);
  if (tooMany.length > 0)
    throw invalidFields(
      errorsAt(tooMany, 'quantity', () => `expected at most ${MAX_QUANTITY} pieces of a product`),
    );
  return [...wanted.values()];
}

const listedNow = (unit: UnitOfWork, gymId: string, ids: readonly string[]): Promise<GymProductShape[]> =>
  unit.read<GymProductShape>(
    `select ${columnsOf(GymProductShape)} from gym_product where gym_id = ? and product_id = any(?::uuid[])`,
    [gymId, ids],
  );

/**
 * Returns the listed products by their ids.
 * @throws VALIDATION_FAILED for products that the gym does not list; OUT_OF_STOCK with an error for each item
 */
function checkListed(
  wanted: readonly Wanted[],
  listed: readonly GymProductShape[],
): ReadonlyMap<string, GymProductShape> {
  const byId = new Map(listed.map((product) => [product.productId, product]));
  const unknown = wanted.filter(({ productId }) => !byId.has(productId));
  if (unknown.length > 0) throw notListed(unknown);
  const leftOf = ({ productId }: Wanted) => byId.get(productId)?.stock ?? Infinity;
  const missing = wanted.filter((item) => item.quantity > leftOf(item));
  if (missing.length > 0) {
    const errors = errorsAt(
      missing,
      'quantity',
      (item) => `expected at most ${leftOf(item)}: only so many pieces are left`,
    );
    throw new PlatformError(
      'OUT_OF_STOCK',
      `The gym does not have enough pieces of ${missing.length === 1 ? 'a product' : `${missing.length} products`}; order fewer.`,
      { errors },
    );
  }
  return byId;
}

const notListed = (items: readonly Wanted[]): PlatformError =>
  invalidFields(errorsAt(items, 'productId', () => 'expected a product that the gym lists in its shop'));

const errorsAt = (items: readonly Wanted[], field: string, messageFor: (item: Wanted) => string) =>
  items.flatMap((item) =>
    item.positions.map((position) => ({ path: `items.${position}.${field}`, message: messageFor(item) })),
  );

/** The items with the names and prices that are valid now. The transaction has locked the products. */
function pricedItems(
  wanted: readonly Wanted[],
  locked: readonly GymProductShape[],
  products: ContentProducts,
): PricedItem[] {
  const listed = checkListed(wanted, locked);
  const gone = wanted.filter(({ productId }) => !products.has(productId));
  if (gone.length > 0) throw notListed(gone); // the content service has deleted a product that the gym still lists
  const priced = wanted.map((item): PricedItem => {
    const own = listed.get(item.productId);
    const product = products.get(item.productId) as ContentProduct; // checked above
    return {
      ...item,
      name: product.name,
      price: own?.price ?? product.price,
      currency: (own?.price === null ? null : own?.currency) ?? product.currency,
      fromStock: own?.stock !== null,
    };
  });
  const [first] = priced;
  const others = priced.filter(({ currency }) => currency !== first?.currency);
  if (others.length > 0)
    throw invalidFields(
      errorsAt(
        others,
        'productId',
        () => `expected products in one currency; the first one costs ${first?.currency}`,
      ),
    );
  return priced;
}

function orderOf(of: { gymId: string; userId: string }, items: readonly PricedItem[]): OrderShape {
  const total = items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  if (total > MAX_INTEGER) throw invalid('items', `expected a total of at most ${MAX_INTEGER} minor units`);
  const now = Date.now();
  return {
    id: uuidv7(),
    ...of,
    items: items.map(({ productId, name, quantity, price }) => ({ productId, name, quantity, price })),
    total,
    currency: items[0]?.currency ?? '',
    status: 'PLACED',
    cancelReason: null,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + COLLECTED_WITHIN_MILLIS).toISOString(),
    readyAt: null,
    collectedAt: null,
    cancelledAt: null,
    version: 1,
  };
}

async function insertOrder(unit: UnitOfWork, order: OrderShape, items: readonly PricedItem[]): Promise<void> {
  await unit.run(
    `with placed as (
       insert into shop_order (id, gym_id, user_id, status, total, currency, created_at, expires_at, version)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id
     )
     insert into shop_order_item (order_id, product_id, position, name, quantity, price, from_stock)
     select placed.id, item.* from placed, unnest(?::uuid[], ?::int[], ?::text[], ?::int[], ?::int[], ?::boolean[]) as item`,
    [
      order.id,
      order.gymId,
      order.userId,
      order.status,
      order.total,
      order.currency,
      order.createdAt,
      order.expiresAt,
      order.version,
      items.map(({ productId }) => productId),
      items.map((_item, index) => index),
      items.map(({ name }) => name),
      items.map(({ quantity }) => quantity),
      items.map(({ price }) => price),
      items.map(({ fromStock }) => fromStock),
    ],
  );
}
