import type { AccountPart, RecordSource } from '#server/accounts/account-part.ts';
import { entityRecords } from '#server/accounts/entity-records.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { FOOD_LOG_COLUMNS } from '../food-logs/food-logs.ts';
import type { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import { FoodFavourite } from '../foods/food-favourite.entity.ts';
import { StoredFood } from '../foods/stored-food.entity.ts';
import { NutritionGoal } from '../goals/nutrition-goal.entity.ts';
import { FoodLogImport } from '../imports/food-log-import.entity.ts';

/** What somebody eats is nobody's but theirs: all of it goes with the account. Sums of days are left out of the export, they follow from the entries. */
export const nutritionAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {
    foodLogs: foodLogsOf(unit),
    goals: entityRecords(unit, NutritionGoal, 'id', (userId) => ({ userId })),
    foods: entityRecords(unit, StoredFood, 'id', (userId) => ({ userId })),
    foodFavourites: entityRecords(unit, FoodFavourite, 'id', (userId) => ({ userId })),
    imports: entityRecords(unit, FoodLogImport, 'id', (userId) => ({ userId })),
  },
  erase: (userId) =>
    eraseOnce(unit, userId, async () => {
      for (const table of [
        'food_log',
        'food_log_day',
        'nutrition_goal',
        'food_log_import',
        'food_favourite',
        'food',
      ])
        await unit.em.execute(`delete from ${table} where user_id = ?`, [userId]);
      return { outcome: 'DELETED', reason: null };
    }),
});

/** Along the index of the diary: the hundredth page costs what the first does. */
const foodLogsOf =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const rows = await unit.em.execute<FoodLogShape[]>(
      `select ${FOOD_LOG_COLUMNS} from food_log
       where user_id = ? ${after ? 'and (local_date, logged_at, id) > (?::date, ?::timestamptz, ?::uuid)' : ''}
       order by food_log.local_date, food_log.logged_at, food_log.id limit ?`,
      [userId, ...(after ?? []), limit],
    );
    return rows.map((record) => ({ key: [record.localDate, record.loggedAt, record.id], record }));
  };
