import { columnsOf } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { FoodLogShape } from './food-logs.shapes.ts';

/** The select list of entries. */
export const FOOD_LOG_COLUMNS = columnsOf(FoodLogShape, { foodId: 'coalesce(food_id::text, table_food_id)' });

/** The position of an entry in the food log, which is in the order of time: its local day, when it was eaten, its id. */
export type FoodLogKey = [localDate: string, loggedAt: string, id: string];

export const foodLogKeyOf = ({ localDate, loggedAt, id }: FoodLogShape): FoodLogKey => [
  localDate,
  loggedAt,
  id,
];

/**
 * At most `limit` entries of a user after a key, the oldest first. They are read along the index `food_log_diary`, so the
 * hundredth page costs as much as the first one.
 */
export const foodLogPage = (
  unit: UnitOfWork,
  userId: string,
  {
    from,
    to,
    after,
    limit,
  }: {
    from?: string | null | undefined;
    to?: string | null | undefined;
    after?: readonly unknown[] | undefined;
    limit: number;
  },
): Promise<FoodLogShape[]> =>
  unit.em.execute(
    `select ${FOOD_LOG_COLUMNS} from food_log
     where user_id = ? and local_date >= ?::date and local_date <= ?::date ${after ? 'and (local_date, logged_at, id) > (?::date, ?::timestamptz, ?::uuid)' : ''}
     order by food_log.local_date, food_log.logged_at, food_log.id limit ?`,
    [userId, from ?? '-infinity', to ?? 'infinity', ...(after ?? []), limit],
  );
