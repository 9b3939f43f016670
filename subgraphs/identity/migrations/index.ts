import type { MigrationDeclaration } from '#server/database/database.ts';
import { UsersAndSessions } from './20260105110000_users_and_sessions.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105110000_users_and_sessions', class: UsersAndSessions },
];
