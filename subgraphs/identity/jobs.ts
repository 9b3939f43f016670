import { rotateSigningKey } from './keys/rotate-signing-key.ts';
import { mailPasswordToken } from './password-resets/mail-password-token.ts';
import { mailGymRemoved } from './rights/mail-gym-removed.ts';
import { writeUserImport } from './user-imports/write-user-import.ts';

/** The jobs of this service, in addition to those of every service. */
export const identityJobs = [mailPasswordToken, mailGymRemoved, rotateSigningKey, writeUserImport];
