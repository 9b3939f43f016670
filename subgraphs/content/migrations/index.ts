import type { MigrationDeclaration } from '#server/database/database.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { Content } from './20260105100000_content.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105100000_content', class: Content },
  ...sagaMigrations,
];
