import { rotateSigningKey } from './keys/rotate-signing-key.ts';
import { activateVerified } from './email-verifications/activate-verified.ts';
import { mailVerification } from './email-verifications/mail-verification.ts';
import { applyUntil } from './memberships/change-membership.ts';
import { reportMembershipEnd } from './memberships/report-membership-end.ts';
import { mailGymInvitation } from './invitations/mail-gym-invitation.ts';
import { mailPasswordToken } from './password-resets/mail-password-token.ts';
import { mailGymRemoved } from './rights/mail-gym-removed.ts';
import { mailStaff } from './staff-mails/mail-staff.ts';
import { writeUserImport } from './user-imports/write-user-import.ts';

/** The jobs of this service, in addition to those of every service. */
export const identityJobs = [
  mailPasswordToken,
  mailVerification,
  activateVerified,
  mailGymRemoved,
  mailGymInvitation,
  mailStaff,
  applyUntil,
  reportMembershipEnd,
  rotateSigningKey,
  writeUserImport,
];
