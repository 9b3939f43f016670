import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireGymAdmin, requireUser } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { isUuid } from '#server/ids.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { audit } from '../audit/audit.ts';
import { preventWithdrawalOfGym } from '../gyms/gym-locks.ts';
import type { Gyms } from '../gyms/gyms.ts';
import { productChanged } from './product-events.ts';
import {
  AdjustStockInput,
  GymProductShape,
  LowStockFilter,
  MAX_STOCK,
  StockMovementShape,
} from './shop.shapes.ts';
import { lockProducts, moveStock } from './stock-movements.ts';

const movementCursors = cursorsOf('stockMovements', z.tuple([uuid()]));
const lowStockCursors = cursorsOf('lowStock', z.tuple([z.int(), uuid()]));

/** How many pieces of its products a gym has. Its staff correct the numbers and see every movement. */
export class Stock {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;

  constructor(unit: UnitOfWork, gyms: Gyms) {
    this.unit = unit;
    this.gyms = gyms;
  }

  /**
   * Adds pieces to the stock of a product, or removes some. Audited.
   * @throws NOT_FOUND if the gym does not list the product; CONFLICT if the gym does not count its stock, or if the stock
   * would be negative; VALIDATION_FAILED if the stock would be too large
   */
  async adjust(gymIdOrSlug: string, productId: string, input: unknown): Promise<StockMovementShape> {
    const { id: gymId } = await this.gyms.get(gymIdOrSlug);
    requireGymAdmin(this.unit.viewer, gymId);
    const { delta, reason, kind } = validated(AdjustStockInput, input);
    if (!isUuid(productId)) throw notFound('product', productId);
    return this.unit.transaction(async () => {
      if (!(await preventWithdrawalOfGym(this.unit, gymId))) throw notFound('gym', gymId);
      const [product] = await lockProducts(this.unit, gymId, [productId]);
      if (!product) throw notFound('product', productId);
      checkAdjustment(product.stock, delta);
      const moved = await moveStock(this.unit, gymId, [{ productId, delta }], {
        kind: kind ?? 'CORRECTED',
        reason,
      });
      const [movement] = moved.movements;
      if (!movement) throw new Error('A locked product was not changed.');
      await audit(this.unit, {
        gymId,
        actorId: requireUser(this.unit.viewer).userId,
        action: 'STOCK_ADJUSTED',
        details: { productId, delta, kind: movement.kind, movementId: movement.id },
      });
      await recordEvents(this.unit, moved.products.map(productChanged));
      return movement;
    });
  }

  /**
   * The movements of a product's stock, newest first; also of a product that the gym no longer lists. For staff of the gym.
   */
  async movements(
    gymIdOrSlug: string,
    productId: string,
    request: PageRequest,
  ): Promise<Page<StockMovementShape>> {
    const { id: gymId } = await this.gyms.get(gymIdOrSlug);
    requireGymAdmin(this.unit.viewer, gymId);
    if (!isUuid(productId)) throw notFound('product', productId);
    const [before] = movementCursors.read(request.cursor) ?? [];
    const rows = await this.unit.read<StockMovementShape>(
      `select ${columnsOf(StockMovementShape)} from stock_movement
       where gym_id = ? and product_id = ?${before ? ' and id < ?' : ''} order by id desc limit ?`,
      [gymId, productId, ...(before ? [before] : []), pageSize(request) + 1],
    );
    return movementCursors.page(rows, request, ({ id }) => [id]);
  }

  /** The products of which few pieces are free, the fewest first. For staff of the gym. */
  async low(gymIdOrSlug: string, filter: unknown, request: PageRequest): Promise<Page<GymProductShape>> {
    const { id: gymId } = await this.gyms.get(gymIdOrSlug);
    requireGymAdmin(this.unit.viewer, gymId);
    const { below } = validated(LowStockFilter, filter);
    const after = lowStockCursors.read(request.cursor);
    const rows = await this.unit.read<GymProductShape>(
      `select ${columnsOf(GymProductShape)} from gym_product
       where gym_id = ? and stock < ?${after ? ' and (stock, product_id) > (?, ?)' : ''}
       order by stock, product_id limit ?`,
      [gymId, below, ...(after ?? []), pageSize(request) + 1],
    );
    return lowStockCursors.page(rows, request, ({ stock, productId }) => [stock ?? 0, productId]);
  }
}

function checkAdjustment(stock: number | null, delta: number): void {
  if (stock === null)
    throw conflict('The gym does not count the stock of this product; set its stock in the list first.');
  if (stock + delta < 0) throw conflict(`Only ${stock} pieces are free; ${-delta} cannot be removed.`);
  if (stock + delta > MAX_STOCK)
    throw invalid(
      'delta',
      `expected at most ${MAX_STOCK - stock}, because the stock is at most ${MAX_STOCK}`,
    );
}
