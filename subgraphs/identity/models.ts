/**
 * The TypeScript types of the objects that the resolvers of GraphQL types get. Each is exported under the name of its GraphQL
 * type. `npm run generate` reads this file.
 */
export type { AccountDeletionShape as AccountDeletion } from './accounts/accounts.shapes.ts';
export type { AccountExportShape as AccountExport } from './accounts/accounts.shapes.ts';
export type {
  ApiClientShape as ApiClient,
  ApiClientWithSecretShape as ApiClientWithSecret,
} from './api-clients/api-clients.shapes.ts';
export type { AuditEventShape as AuditEvent } from './audit/audit.shapes.ts';
export type { MembershipShape as Membership } from './memberships/memberships.shapes.ts';
export type { InvitationShape as Invitation } from './invitations/invitations.shapes.ts';
export type { ShortLivedQrCodeShape as ShortLivedQrCode } from './qr-codes/qr-codes.shapes.ts';
export type { AuthPayloadShape as AuthPayload, SessionShape as Session } from './sessions/sessions.shapes.ts';
export type {
  UserImportLineShape as UserImportLine,
  UserImportShape as UserImport,
} from './user-imports/user-imports.shapes.ts';
export type { UserShape as User } from './users/users.shapes.ts';
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
