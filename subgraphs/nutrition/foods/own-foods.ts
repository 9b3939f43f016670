import { LockMode, wrap } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { checkVersion, conflict, forbidden, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { implausibilityOf } from '../plausibility.ts';
import { foodById } from './food-table.ts';
import { CreateFoodShape, UpdateFoodShape, type FoodNutrients, type FoodShape } from './foods.shapes.ts';
import { ofStored, storedRow, type StoredRow } from './presented-food.ts';
import { StoredFood } from './stored-food.entity.ts';

const MAX_OWN_FOODS = 1_000;

/** Until the end of the transaction, nobody else changes this user's foods, so that a count before a write stays right. */
export async function lockFoodsOf(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`foods:${userId}`]);
}

/** A user changes only the foods that they have added. Products and foods of the table belong to nobody. */
const mayChangeFood = (userId: string, food: Pick<StoredFood, 'userId'>): boolean => food.userId === userId;

/** Foods that users add for themselves. Users read and write only their own. */
export class OwnFoods {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** @throws CONFLICT beyond 1,000 foods, or if another food of the caller has the same name and brand, or the barcode */
  async create(input: unknown): Promise<FoodShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { per100g, ...fields } = validated(CreateFoodShape, input);
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      // An id of its own before the insert, by which the search for a twin excludes it.
      const food = em.create(
        StoredFood,
        { id: uuidv7(), userId, ...fields, ...per100g, measures: fields.measures ?? [], version: 1 },
        { persist: false },
      );
      checkNutrients(storedRow(food));
      await lockFoodsOf(this.unit, userId);
      if ((await em.count(StoredFood, { userId })) >= MAX_OWN_FOODS)
        throw conflict(`You have ${MAX_OWN_FOODS} own foods, which is the maximum; delete one first.`);
      await this.refuseTwin(storedRow(food));
      await em.persist(food).flush();
      return ofStored(storedRow(food));
    });
  }

  /**
   * Absent fields are unchanged. Entries that were logged with the food keep their values.
   * @param expectedVersion undefined: the last write wins
   * @throws FORBIDDEN for a food of the table or a product; NOT_FOUND, VERSION_CONFLICT; CONFLICT as `create`
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
      await this.refuseTwin(storedRow(food));
      await this.unit.em.flush();
      return ofStored(storedRow(food));
    });
  }

  /** Entries that were logged with the food stay, without a reference to it. Parameters and errors as of `update`. */
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

  /** The unique indexes would refuse a twin, too, but only here can the message name the reason. The lock keeps the result valid. */
  private async refuseTwin({ id, userId, name, brand, barcode }: StoredRow): Promise<void> {
    const [twin] = await this.unit.em.execute<{ barcode: string | null }[]>(
      `select barcode from food where user_id = ? and id <> ? and (barcode = ? or (lower(name) = lower(?) and lower(coalesce(brand, '')) = lower(?))) limit 1`,
      [userId, id, barcode, name, brand ?? ''],
    );
    if (!twin) return;
    throw conflict(
      barcode !== null && twin.barcode === barcode
        ? `You have another food with the barcode ${barcode}; change that one.`
        : `You have another food with the name "${name}"${brand ? ` of ${brand}` : ''}; change that one, or choose another name.`,
    );
  }
}

const notYours = () =>
  forbidden(
    'This food belongs to everybody and cannot be changed; add a food of your own by POST /foods (graph: createFood).',
  );

/** As for an entry of the food log; also, sugars are carbohydrates. @throws VALIDATION_FAILED */
function checkNutrients(food: FoodNutrients): void {
  const doubt = implausibilityOf({ ...food, grams: 100 });
  if (doubt) throw invalid(`per100g.${doubt.path === 'grams' ? 'protein' : doubt.path}`, doubt.message);
  if (food.sugars !== null && food.carbs !== null && food.sugars > food.carbs + 1)
    throw invalid('per100g.sugars', `expected at most the ${food.carbs} g of carbs, got ${food.sugars}`);
}
