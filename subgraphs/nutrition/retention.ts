import { DAY_MILLIS } from '#server/durations.ts';
import { removeRows, type RetentionRule } from '#server/retention/retention.ts';

/** The retention of reports of imports (the imported entries stay), and of products that nobody uses. */
export const nutritionRetention: readonly RetentionRule[] = [
  {
    what: 'import_reports',
    kept: 'retentionImportsDays',
    run: (unit, before) => removeRows(unit, 'food_log_import', 'started_at < ?', [before]),
  },
  {
    // Products that a user has logged or made a favourite stay.
    what: 'products',
    kept: { millis: 90 * DAY_MILLIS },
    run: (unit, before) =>
      removeRows(
        unit,
        'food',
        'user_id is null and updated_at < ? and not exists (select 1 from food_log where food_log.food_id = food.id) and not exists (select 1 from food_favourite where food_favourite.food_id = food.id)',
        [before],
      ),
  },
];
