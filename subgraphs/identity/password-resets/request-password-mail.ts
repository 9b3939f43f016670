import { uuidv7 } from '#server/ids.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { mailPasswordToken } from './mail-password-token.ts';
import { PasswordReset, type ResetPurpose } from './password-reset.entity.ts';

/** Stores a request for a mail, and adds its job. The mail is sent if an account has this email when the job runs. */
export async function requestPasswordMail(
  unit: UnitOfWork,
  email: string,
  purpose: ResetPurpose,
): Promise<void> {
  const mailId = uuidv7();
  await unit.transaction(async () => {
    await unit.em.insert(PasswordReset, { id: mailId, purpose, email, requestedAt: new Date() });
    await addJob(unit.em, mailPasswordToken, { mailId });
  });
}
