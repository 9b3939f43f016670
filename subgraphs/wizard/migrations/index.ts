import type { MigrationDeclaration } from '#server/database/database.ts';
import { Sessions } from './20261121041017_sessions.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [{ name: '20261121041017_sessions', class: Sessions }];
