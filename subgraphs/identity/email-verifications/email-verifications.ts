import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { HOUR_MILLIS } from '#server/durations.ts';
import { invalid, unauthenticated } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { addJob } from '#server/jobs/add-job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { markChanged } from '../memberships/change-membership.ts';
import { hashOf } from '../sessions/secrets.ts';
import { User } from '../users/user.entity.ts';
import { activateVerified } from './activate-verified.ts';
import type { Admission, Admissions } from './admissions.ts';
import { EmailVerification } from './email-verification.entity.ts';
import { VerifyEmailShape } from './email-verifications.shapes.ts';
import { mailVerification } from './mail-verification.ts';

const MAX_MAILS_PER_HOUR = 5; // to one user

/** Whether users read the mails to their address: they prove it with the token of a mail. */
export class EmailVerifications {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly admissions: Admissions;

  constructor(unit: UnitOfWork, audit: Audit, admissions: Admissions) {
    this.unit = unit;
    this.audit = audit;
    this.admissions = admissions;
  }

  /** Requests another mail to the viewer, unless their email is verified or five mails were requested within the last hour. */
  async resend(): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const user = await this.unit.em.findOne(
        User,
        { id: userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!user) throw unauthenticated('Your account has been deleted.');
      if (!user.emailVerifiedAt) await this.requestMail(userId);
    });
  }

  /** Requests a mail to a user whose row is locked or new; none if five mails to them were requested within the last hour. */
  async requestMail(userId: string): Promise<void> {
    const recent = await this.unit.em.count(EmailVerification, {
      userId,
      requestedAt: { $gt: new Date(Date.now() - HOUR_MILLIS) },
    });
    if (recent >= MAX_MAILS_PER_HOUR) return;
    const mailId = uuidv7();
    await this.unit.em.insert(EmailVerification, { id: mailId, userId, requestedAt: new Date() });
    await addJob(this.unit.em, mailVerification, { mailId, userId });
  }

  /** Verifies the email with a mailed token, which works once. @throws VALIDATION_FAILED at `token` */
  async verify(input: unknown): Promise<void> {
    const { token } = validated(VerifyEmailShape, input);
    const tokenHash = hashOf(token);
    const [known] = await this.unit.em.execute<{ userId: string }[]>(
      'select user_id as "userId" from email_verification where token_hash = ? and expires_at > now()',
      [tokenHash],
    );
    if (!known) throw wrongToken();
    const admission = await this.admissions.of(known.userId);
    await this.unit.transaction(async () => {
      const user = await this.unit.em.findOne(
        User,
        { id: known.userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      // If a token is used twice at once, only one of the two requests deletes its row.
      const used = await this.unit.em.execute<unknown[]>(
        'delete from email_verification where token_hash = ? returning 1',
        [tokenHash],
      );
      if (!user || used.length === 0) throw wrongToken();
      await this.markVerified(user, admission);
    });
  }

  /**
   * Marks the email of a locked user as verified. A membership that waited for this becomes ACTIVE, if the gym still admits
   * everybody with a verified email. If the gym service did not answer, a job decides about the membership later.
   */
  async markVerified(user: User, admission: Admission): Promise<void> {
    await this.unit.em.nativeDelete(EmailVerification, { userId: user.id });
    if (!user.emailVerifiedAt) {
      user.emailVerifiedAt = new Date();
      await markChanged(this.unit, user, { losesRights: false });
      await this.audit.record('EMAIL_VERIFIED', user.id);
    }
    if (!(await this.admissions.admit(user, admission)))
      await addJob(this.unit.em, activateVerified, { userId: user.id });
  }
}

const wrongToken = () =>
  invalid('token', 'expected a token that has neither been used nor expired; ask for a new mail');
