import { LockMode, wrap } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { checkVersion, conflict, forbidden, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { grams } from '../nutrients.ts';
import { implausibilityOf } from '../plausibility.ts';
import { foodById } from './food-table.ts';
import { CreateFoodShape, UpdateFoodShape, type FoodNutrients, type FoodShape } from './foods.shapes.ts';
import { presentedOwnFood, storedRow, type StoredRow } from './presented-food.ts';
import { StoredFood } from './stored-food.entity.ts';

const MAX_OWN_FOODS = 1_000;

/**
 * Locks the user's foods and favourites until the end of the transaction, so that their number, counted before a write, stays
 * valid.
 */
export async function lockFoodsOf(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`foods:${userId}`]);
}

/** A user may change only the foods that they have added. Products and foods of the table have no owner. */
const mayChangeFood = (userId: string, food: Pick<StoredFood, 'userId'>): boolean => food.userId === userId;

/** Foods that users add for themselves. A user can read and write only their own. */
export class OwnFoods {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * @throws CONFLICT beyond 1,000 foods, or if another food of the caller has the same name and brand, or the same barcode
   */
  async create(input: unknown): Promise<FoodShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { per100g, ...fields } = validated(CreateFoodShape, input);
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      // The food needs an id before the insert: `refuseDuplicate` compares ids, and would find no duplicate without one.
      const food = em.create(
        StoredFood,
        { id: uuidv7(), userId, ...fields, ...per100g, measures: fields.measures ?? [], version: 1 },
        { persist: false },
      );
      checkNutrients(storedRow(food));
      await lockFoodsOf(this.unit, userId);
      if ((await em.count(StoredFood, { userId })) >= MAX_OWN_FOODS)
        throw conflict(`You have ${MAX_OWN_FOODS} own foods, which is the maximum; delete one first.`);
      await this.refuseDuplicate(storedRow(food));
      await em.persist(food).flush();
      return presentedOwnFood(storedRow(food));
    });
  }

  /**
   * Changes a food. Absent fields are unchanged. Entries that were logged with the food keep their values.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   * @throws FORBIDDEN for a food of the table or a product; NOT_FOUND, VERSION_CONFLICT; CONFLICT if another food of the
   * caller has the same name and brand, or the same barcode
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<FoodShape> {
    const { version, per100g, ...change } = validated(UpdateFoodShape, input);
    return this.unit.transaction(async () => {
      const food = await this.locked(id, expectedVersion ?? version ?? undefined);
      wrap(food).assign(
        { ...change, ...per100g, version: food.version + 1, updatedAt: new Date() },
        { ignoreUndefined: true },
      );
      checkNutrients(storedRow(food));
      await this.refuseDuplicate(storedRow(food));
      await this.unit.em.flush();
      return presentedOwnFood(storedRow(food));
    });
  }

  /**
   * Deletes a food. Entries that were logged with it stay, without a reference to it.
   * @param expectedVersion undefined: any version
   * @throws FORBIDDEN for a food of the table or a product; NOT_FOUND, VERSION_CONFLICT
   */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const food = await this.locked(id, expectedVersion);
      await this.unit.em.remove(food).flush();
    });
  }

  private async locked(id: string, expectedVersion: number | undefined): Promise<StoredFood> {
    const { userId } = requireUser(this.unit.viewer);
    if (foodById(id)) throw notYours();
    await lockFoodsOf(this.unit, userId);
    const food = isUuid(id)
      ? await this.unit.em.findOne(
          StoredFood,
          { id, $or: [{ userId }, { userId: null }] },
          { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
        )
      : null;
    if (!food) throw notFound('food', id);
    if (!mayChangeFood(userId, food)) throw notYours();
    checkVersion('food', expectedVersion, food.version);
    return food;
  }

  /**
   * @throws CONFLICT if another food of the user has the same name and brand, or the same barcode. The unique indexes would
   * refuse such a food, too, but without a message that names the reason. The lock of the user's foods keeps the result
   * valid.
   */
  private async refuseDuplicate({ id, userId, name, brand, barcode }: StoredRow): Promise<void> {
    const [duplicate] = await this.unit.em.execute<{ barcode: string | null }[]>(
      `select barcode from food
       where user_id = ? and id <> ?
         and (barcode = ? or (lower(name) = lower(?) and lower(coalesce(brand, '')) = lower(?))) limit 1`,
      [userId, id, barcode, name, brand ?? ''],
    );
    if (!duplicate) return;
    throw conflict(
      barcode !== null && duplicate.barcode === barcode
        ? `You have another food with the barcode ${barcode}; change that one.`
        : `You have another food with the name "${name}"${brand ? ` of ${brand}` : ''}; change that one, or choose another name.`,
    );
  }
}

const notYours = () =>
  forbidden(
    'This food is shared by all users and cannot be changed; add a food of your own by POST /foods (graph: createFood).',
  );

/** How much more sugars than carbs a label may list, because both are rounded. */
const SUGARS_TOLERANCE = 1; // g in 100 g

/** @throws VALIDATION_FAILED for implausible nutrients, as for an entry of the food log, and for more sugars than carbs */
function checkNutrients(food: FoodNutrients): void {
  const doubt = implausibilityOf({ ...food, grams: 100 });
  // The input has no weight, because it is always 100 g: the caller can only correct the nutrients.
  if (doubt?.path === 'grams') {
    const total = grams((food.protein ?? 0) + (food.carbs ?? 0) + (food.fats ?? 0));
    throw invalid('per100g', `expected protein, carbs and fats of at most 100 g together, got ${total} g`);
  }
  if (doubt) throw invalid(`per100g.${doubt.path}`, doubt.message);
  if (food.sugars !== null && food.carbs !== null && food.sugars > food.carbs + SUGARS_TOLERANCE)
    throw invalid('per100g.sugars', `expected at most the ${food.carbs} g of carbs, got ${food.sugars}`);
}
