import { requireUser } from '#server/auth/viewer.ts';
import { checkVersion, conflict, forbidden, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { implausibilityOf } from '../plausibility.ts';
import { foodById } from './food-table.ts';
import { CreateFoodShape, UpdateFoodShape, type FoodNutrients, type FoodShape } from './foods.shapes.ts';
import { ofStored, STORED_COLUMNS, type StoredRow } from './presented-food.ts';

const MOST_OWN_FOODS = 1_000;

/** One change of a user's foods at a time, so that a count before a write still holds after it. */
export async function lockFoodsOf(unit: UnitOfWork, userId: string): Promise<void> {
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`foods:${userId}`]);
}

/** Foods that users add for themselves. Each sees and writes their own alone. */
export class OwnFoods {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** @throws CONFLICT for a name and brand, or a barcode, that another own food of the caller has, or beyond 1,000 foods */
  async create(input: unknown): Promise<FoodShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { name, brand, barcode, measures, per100g } = validated(CreateFoodShape, input);
    const food: StoredRow = {
      id: uuidv7(),
      userId,
      name,
      brand: brand ?? null,
      barcode: barcode ?? null,
      ...completed(per100g),
      measures: measures ?? [],
      version: 1,
    };
    checkNutrients(food);
    return this.unit.transaction(async () => {
      await lockFoodsOf(this.unit, userId);
      const [owned] = await this.unit.em.execute<{ count: number }[]>(
        'select count(*)::int as count from food where user_id = ?',
        [userId],
      );
      if (owned && owned.count >= MOST_OWN_FOODS)
        throw conflict(
          `You have ${MOST_OWN_FOODS} own foods, which is as many as there may be; delete one first.`,
        );
      await this.refuseTwin(food);
      const [row] = await this.unit.em.execute<StoredRow[]>(
        `insert into food (id, user_id, name, brand, barcode, calories, protein, carbs, fats, fibre, sugars, salt, measures, created_at, updated_at, version)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, now(), now(), 1) returning ${STORED_COLUMNS}`,
        [food.id, userId, ...valuesOf(food)],
      );
      if (!row) throw new Error('A food that was written is gone.');
      return ofStored(row);
    });
  }

  /** What is absent stays. Entries that were logged with it keep what they held. @throws FORBIDDEN for a food of the table */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<FoodShape> {
    const change = validated(UpdateFoodShape, input);
    return this.unit.transaction(async () => {
      const stored = await this.locked(id, expectedVersion ?? change.version ?? undefined);
      const food: StoredRow = {
        ...stored,
        name: change.name ?? stored.name,
        brand: change.brand === undefined ? stored.brand : change.brand,
        barcode: change.barcode === undefined ? stored.barcode : change.barcode,
        ...given(change.per100g ?? {}),
        measures: change.measures ?? stored.measures,
      };
      checkNutrients(food);
      await this.refuseTwin(food);
      const [row] = await this.unit.em.execute<StoredRow[]>(
        `update food set name = ?, brand = ?, barcode = ?, calories = ?, protein = ?, carbs = ?, fats = ?, fibre = ?, sugars = ?, salt = ?, measures = ?::jsonb, updated_at = now(), version = version + 1
         where id = ? returning ${STORED_COLUMNS}`,
        [...valuesOf(food), id],
      );
      if (!row) throw new Error('A food that was locked is gone.');
      return ofStored(row);
    });
  }

  /** Entries that were logged with it stay, and name no food any more. @throws FORBIDDEN for a food of the table */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      await this.locked(id, expectedVersion);
      await this.unit.em.execute('delete from food where id = ?', [id]);
    });
  }

  private async locked(id: string, expectedVersion: number | undefined): Promise<StoredRow> {
    const { userId } = requireUser(this.unit.viewer);
    const isOfTable = foodById(id) !== undefined;
    if (isOfTable) throw tableFood();
    await lockFoodsOf(this.unit, userId);
    const [food] = isUuid(id)
      ? await this.unit.em.execute<StoredRow[]>(
          `select ${STORED_COLUMNS} from food where id = ? and (user_id = ? or user_id is null) for update`,
          [id, userId],
        )
      : [];
    if (!food) throw notFound('food', id);
    if (food.userId === null) throw tableFood();
    checkVersion('food', expectedVersion, food.version);
    return food;
  }

  /** Indexes refuse a twin in any case; asked first, because the lock makes the answer final, and a reason can be told. */
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

const tableFood = () =>
  forbidden(
    "This food is everybody's and cannot be changed; add a food of your own by POST /foods (graph: createFood).",
  );

type GivenNutrients = { [Name in keyof FoodNutrients]?: number | null | undefined };

const completed = ({ calories, ...rest }: GivenNutrients & { calories: number }): FoodNutrients => ({
  calories,
  protein: rest.protein ?? null,
  carbs: rest.carbs ?? null,
  fats: rest.fats ?? null,
  fibre: rest.fibre ?? null,
  sugars: rest.sugars ?? null,
  salt: rest.salt ?? null,
});

const given = (nutrients: GivenNutrients): Partial<FoodNutrients> =>
  Object.fromEntries(Object.entries(nutrients).filter(([, value]) => value !== undefined));

/** By the same rule as an entry of the food log; sugars are carbohydrates. */
function checkNutrients(food: FoodNutrients): void {
  const doubt = implausibilityOf({ ...food, grams: 100 });
  if (doubt) throw invalid(`per100g.${doubt.path === 'grams' ? 'protein' : doubt.path}`, doubt.message);
  if (food.sugars !== null && food.carbs !== null && food.sugars > food.carbs + 1)
    throw invalid('per100g.sugars', `expected at most the ${food.carbs} g of carbs, got ${food.sugars}`);
}

const valuesOf = (food: StoredRow): unknown[] => [
  food.name,
  food.brand,
  food.barcode,
  food.calories,
  food.protein,
  food.carbs,
  food.fats,
  food.fibre,
  food.sugars,
  food.salt,
  JSON.stringify(food.measures),
];
