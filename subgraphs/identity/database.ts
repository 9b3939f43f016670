import type { DatabaseDeclaration } from '#server/database/database.ts';
import { eventEntities } from '#server/events/event-tables.ts';
import { sagaEntities } from '#server/saga/saga-tables.ts';
import { AccountDeletion } from './accounts/account-deletion.entity.ts';
import { AccountExport } from './accounts/account-export.entity.ts';
import { ApiClient, ApiClientSecret } from './api-clients/api-client.entity.ts';
import { AuditEvent } from './audit/audit-event.entity.ts';
import { EmailVerification } from './email-verifications/email-verification.entity.ts';
import { GymInvitation } from './invitations/gym-invitation.entity.ts';
import { SigningKey } from './keys/signing-key.entity.ts';
import { migrations } from './migrations/index.ts';
import { PasswordReset } from './password-resets/password-reset.entity.ts';
import { TokenRefusal } from './sessions/token-refusal.entity.ts';
import { LoginFailures } from './sessions/login-failures.entity.ts';
import { RefreshToken } from './sessions/refresh-token.entity.ts';
import { Session } from './sessions/session.entity.ts';
import { StaffMail } from './staff-mails/staff-mail.entity.ts';
import { UserImport, UserImportLine } from './user-imports/user-import.entity.ts';
import { User } from './users/user.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_identity',
  entities: [
    User,
    Session,
    RefreshToken,
    TokenRefusal,
    LoginFailures,
    PasswordReset,
    EmailVerification,
    GymInvitation,
    StaffMail,
    SigningKey,
    AuditEvent,
    AccountDeletion,
    AccountExport,
    ApiClient,
    ApiClientSecret,
    UserImport,
    UserImportLine,
    ...sagaEntities,
    ...eventEntities,
  ],
  migrations,
};
