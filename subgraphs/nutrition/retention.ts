import { removeRows, type RetentionRule } from '#server/retention/retention.ts';

/** Reports of imports, whose entries stay, and products that nobody uses. */
export const nutritionRetention: readonly RetentionRule[] = [
  {
    what: 'import_reports',
    kept: 'retentionImportsDays',
    run: (unit, before) => removeRows(unit, 'food_log_import', 'started_at < ?', [before]),
  },
  {
    // Kept of a source of barcodes for the next one who scans them; what somebody logged or marked stays.
    what: 'products',
    kept: { millis: 90 * 86_400_000 }, // 90 days
    run: (unit, before) =>
      removeRows(
        unit,
        'food',
        'user_id is null and updated_at < ? and not exists (select 1 from food_log where food_log.food_id = food.id) and not exists (select 1 from food_favourite where food_favourite.food_id = food.id)',
        [before],
      ),
  },
];
