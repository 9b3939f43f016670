import type { MigrationDeclaration } from '#server/database/database.ts';
import { eventMigrations } from '#server/events/event-tables.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { UsersAndSessions } from './20260105110000_users_and_sessions.ts';
import { ResetsAuditAndDeletions } from './20260105120000_resets_audit_and_deletions.ts';
import { AuditIsAppendOnly } from './20260105120100_audit_is_append_only.ts';
import { AccountExports } from './20261121130000_account_exports.ts';
import { ProfileAndRelations } from './20261123000300_profile_and_relations.ts';
import { AuditRetention } from './20261123050000_audit_retention.ts';
import { FilesWithoutRows } from './20261123090941_files_without_rows.ts';
import { ApiClients } from './20261123200000_api_clients.ts';
import { UserImports } from './20261123220000_user_imports.ts';
import { MailsAreJobs } from './20261123210000_mails_are_jobs.ts';
import { Memberships } from './20261124090000_memberships.ts';
import { AuditOfGyms } from './20261124100200_audit_of_gyms.ts';
import { GymInvitations } from './20261124090200_gym_invitations.ts';
import { StaffMails } from './20261128174300_staff_mails.ts';

/** In the order in which they run. The names must never change, because the database stores the names of those that have run. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105110000_users_and_sessions', class: UsersAndSessions },
  { name: '20260105120000_resets_audit_and_deletions', class: ResetsAuditAndDeletions },
  { name: '20260105120100_audit_is_append_only', class: AuditIsAppendOnly },
  ...sagaMigrations,
  { name: '20261121130000_account_exports', class: AccountExports },
  { name: '20261123000300_profile_and_relations', class: ProfileAndRelations },
  { name: '20261123050000_audit_retention', class: AuditRetention },
  { name: '20261123090941_files_without_rows', class: FilesWithoutRows },
  { name: '20261123200000_api_clients', class: ApiClients },
  { name: '20261123210000_mails_are_jobs', class: MailsAreJobs },
  { name: '20261123220000_user_imports', class: UserImports },
  ...eventMigrations,
  { name: '20261124090000_memberships', class: Memberships },
  { name: '20261124100200_audit_of_gyms', class: AuditOfGyms },
  // Merged later than audit_of_gyms, and released in this order: do not sort the list by date.
  { name: '20261124090200_gym_invitations', class: GymInvitations },
  { name: '20261128174300_staff_mails', class: StaffMails },
];
