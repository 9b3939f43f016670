import type { MigrationDeclaration } from '#server/database/database.ts';
import { Gym } from './20261121045111_gym.ts';
import { AccountData } from './20261121120000_account_data.ts';
import { OccupancyChanges } from './20261122100000_occupancy_changes.ts';
import { OpeningHours } from './20261121130000_opening_hours.ts';
import { Retention } from './20261123050000_retention.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20261121045111_gym', class: Gym },
  { name: '20261121120000_account_data', class: AccountData },
  { name: '20261121130000_opening_hours', class: OpeningHours },
  { name: '20261122100000_occupancy_changes', class: OccupancyChanges },
  { name: '20261123050000_retention', class: Retention },
];
