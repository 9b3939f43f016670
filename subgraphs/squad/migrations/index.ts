import type { MigrationDeclaration } from '#server/database/database.ts';
import { CreateJournals } from './20261123120000_journals.ts';

/** Oldest first. The names must never change. */
export const migrations: MigrationDeclaration[] = [
  { name: '20261123120000_journals', class: CreateJournals },
];
