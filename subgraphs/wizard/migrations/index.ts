import type { MigrationDeclaration } from '#server/database/database.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { Sessions } from './20261121041017_sessions.ts';
import { AccountData } from './20261121120000_account_data.ts';
import { ReservationsAndFiles } from './20261121140000_reservations_and_files.ts';
import { FirstVisits } from './20261123000400_first_visits.ts';
import { VisitsWithoutPlace } from './20261129072958_visits_without_place.ts';

/** In the order in which they run. The names must never change, because the database stores the names of those that have run. */
export const migrations: MigrationDeclaration[] = [
  { name: '20261121041017_sessions', class: Sessions },
  { name: '20261121120000_account_data', class: AccountData },
  ...sagaMigrations,
  { name: '20261121140000_reservations_and_files', class: ReservationsAndFiles },
  { name: '20261123000400_first_visits', class: FirstVisits },
  { name: '20261129072958_visits_without_place', class: VisitsWithoutPlace },
];
