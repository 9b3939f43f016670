import type { MigrationDeclaration } from '#server/database/database.ts';
import { Sessions } from './20261121041017_sessions.ts';
import { AccountData } from './20261121120000_account_data.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20261121041017_sessions', class: Sessions },
  { name: '20261121120000_account_data', class: AccountData },
];
