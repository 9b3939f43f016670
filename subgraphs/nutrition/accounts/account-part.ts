import type { EntityName } from '@mikro-orm/core';
import type { AccountPart, RecordSource } from '#server/accounts/account-part.ts';
import { entityRecords } from '#server/accounts/entity-records.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { foodLogKeyOf, foodLogPage } from '../food-logs/food-log-pages.ts';
import { FoodFavourite } from '../foods/food-favourite.entity.ts';
import { StoredFood } from '../foods/stored-food.entity.ts';
import { NutritionGoal } from '../goals/nutrition-goal.entity.ts';
import { FoodLogImport } from '../imports/food-log-import.entity.ts';

/** What the nutrition service stores about a user. The export omits the sums of days: they follow from the entries. */
export const nutritionAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {
    foodLogs: foodLogsOf(unit),
    goals: recordsOf(unit, NutritionGoal),
    foods: recordsOf(unit, StoredFood),
    foodFavourites: recordsOf(unit, FoodFavourite),
    imports: recordsOf(unit, FoodLogImport),
  },
  erase: (userId) =>
    eraseOnce(unit, userId, async () => {
      for (const table of TABLES) await unit.em.execute(`delete from ${table} where user_id = ?`, [userId]);
      return { outcome: 'DELETED', reason: null };
    }),
});

const TABLES = ['food_log', 'food_log_day', 'nutrition_goal', 'food_log_import', 'food_favourite', 'food'];

const recordsOf = <Entity extends { id: string }>(
  unit: UnitOfWork,
  entity: EntityName<Entity>,
): RecordSource => entityRecords(unit, entity, 'id', (userId) => ({ userId }));

const foodLogsOf =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const rows = await foodLogPage(unit, userId, { after, limit });
    return rows.map((record) => ({ key: foodLogKeyOf(record), record }));
  };
