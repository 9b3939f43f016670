import { columnsOf } from '#server/database/columns.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { GymProductShape, type StockMovementShape } from './shop.shapes.ts';
import type { StockMovementKind } from './stock.entity.ts';

/** A change of the stock of one product. */
interface StockChange {
  productId: string;
  delta: number;
}

interface Cause {
  kind: StockMovementKind;
  reason: string;
  /** The order that takes the pieces, or gives them back. */
  orderId?: string;
}

const LISTED = `select ${columnsOf(GymProductShape)} from gym_product`;

/**
 * The products of these ids that the gym lists. They are locked until the transaction ends; the calling rule has locked the
 * gym. Rows are locked in the order of their gyms and products, so that two of these statements cannot deadlock.
 */
export const lockProducts = (
  unit: UnitOfWork,
  gymId: string,
  productIds: readonly string[],
): Promise<GymProductShape[]> =>
  unit.run<GymProductShape>(
    `${LISTED} where gym_id = ? and product_id = any(?::uuid[]) order by gym_id, product_id for no key update`,
    [gymId, productIds],
  );

/** As `lockProducts`, for all products that the gym lists. */
export const lockAllProducts = (unit: UnitOfWork, gymId: string): Promise<GymProductShape[]> =>
  unit.run<GymProductShape>(`${LISTED} where gym_id = ? order by gym_id, product_id for no key update`, [
    gymId,
  ]);

/** As `lockProducts`, for one product in the lists of all gyms, which are not locked. */
export const lockEverywhere = (unit: UnitOfWork, productId: string): Promise<GymProductShape[]> =>
  unit.run<GymProductShape>(`${LISTED} where product_id = ? order by gym_id, product_id for no key update`, [
    productId,
  ]);

/**
 * Changes the stock of products that are locked, and records the movements. Returns both. Products that the gym does not
 * list, or does not count, stay as they are and are not returned.
 */
export async function moveStock(
  unit: UnitOfWork,
  gymId: string,
  changes: readonly StockChange[],
  cause: Cause,
): Promise<{ products: GymProductShape[]; movements: StockMovementShape[] }> {
  const deltas = new Map(changes.map(({ productId, delta }) => [productId, delta]));
  const products = await unit.run<GymProductShape>(
    `update gym_product set stock = stock + given.delta from unnest(?::uuid[], ?::int[]) as given (id, delta)
     where gym_id = ? and product_id = given.id and stock is not null returning ${columnsOf(GymProductShape)}`,
    [[...deltas.keys()], [...deltas.values()], gymId],
  );
  const movements = products.map(({ productId, stock }) =>
    movementOf(unit, { gymId, productId, delta: deltas.get(productId) ?? 0, stock: stock ?? 0 }, cause),
  );
  await recordMovements(unit, movements);
  return { products, movements };
}

/** A new movement with the current time, caused by the viewer. */
export const movementOf = (
  { viewer }: UnitOfWork,
  change: Pick<StockMovementShape, 'gymId' | 'productId' | 'delta' | 'stock'>,
  { kind, reason, orderId }: Cause,
): StockMovementShape => ({
  id: uuidv7(),
  ...change,
  kind,
  reason,
  orderId: orderId ?? null,
  actorId: viewer.kind === 'user' ? viewer.userId : null,
  createdAt: new Date().toISOString(),
});

/** Stores movements in the transaction that has changed the stock. */
export async function recordMovements(
  unit: UnitOfWork,
  movements: readonly StockMovementShape[],
): Promise<void> {
  if (movements.length === 0) return;
  const column = <Field extends keyof StockMovementShape>(field: Field) =>
    movements.map((movement) => movement[field]);
  await unit.run(
    `insert into stock_movement (id, gym_id, product_id, kind, delta, stock, reason, order_id, actor_id, created_at)
     select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::int[], ?::int[], ?::text[], ?::uuid[], ?::uuid[], ?::timestamptz[])`,
    [
      column('id'),
      column('gymId'),
      column('productId'),
      column('kind'),
      column('delta'),
      column('stock'),
      column('reason'),
      column('orderId'),
      column('actorId'),
      column('createdAt'),
    ],
  );
}
