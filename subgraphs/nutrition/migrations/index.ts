import type { MigrationDeclaration } from '#server/database/database.ts';
import { FoodLogs } from './20260105100000_food_logs.ts';
import { AccountData } from './20261121120000_account_data.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105100000_food_logs', class: FoodLogs },
  { name: '20261121120000_account_data', class: AccountData },
];
