import type { MigrationDeclaration } from '#server/database/database.ts';
import { FoodLogs } from './20260105100000_food_logs.ts';
import { AccountData } from './20261121120000_account_data.ts';
import { GoalVersions } from './20261123050000_goal_versions.ts';
import { ImportReports } from './20261124100000_import_accounts.ts';
import { GoalsFrom } from './20261124110000_goals_from.ts';
import { OwnFoods } from './20261124120000_own_foods.ts';
import { ImportRuns } from './20261128173657_import_runs.ts';
import { GoalChanges } from './20261128174226_goal_changes.ts';
import { ProductNames } from './20261128183353_product_names.ts';

/** In the order in which they run. The names must never change, because the database stores the names of those that have run. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105100000_food_logs', class: FoodLogs },
  { name: '20261121120000_account_data', class: AccountData },
  { name: '20261123050000_goal_versions', class: GoalVersions },
  { name: '20261124100000_import_accounts', class: ImportReports },
  { name: '20261124110000_goals_from', class: GoalsFrom },
  { name: '20261124120000_own_foods', class: OwnFoods },
  { name: '20261128173657_import_runs', class: ImportRuns },
  { name: '20261128174226_goal_changes', class: GoalChanges },
  { name: '20261128183353_product_names', class: ProductNames },
];
