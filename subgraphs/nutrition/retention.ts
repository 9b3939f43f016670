import { removeRows, type RetentionRule } from '#server/retention/retention.ts';

/** Reports of imports. What was imported is the food log itself, which stays. */
export const nutritionRetention: readonly RetentionRule[] = [
  {
    what: 'import_reports',
    kept: 'retentionImportsDays',
    run: (unit, before) => removeRows(unit, 'food_log_import', 'started_at < ?', [before]),
  },
];
