import { LockMode } from '@mikro-orm/core';
import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import type { Admissions } from '../email-verifications/admissions.ts';
import type { EmailVerifications } from '../email-verifications/email-verifications.ts';
import { markChanged } from '../memberships/change-membership.ts';
import { endAllSessionsOf } from '../sessions/ended-sessions.ts';
import { forgetFailures } from '../sessions/login-guard.ts';
import { hashOf } from '../sessions/secrets.ts';
import { passwordProblem } from '../users/password-rules.ts';
import type { Passwords } from '../users/passwords.ts';
import { User } from '../users/user.entity.ts';
import { forgetPasswordMails } from './forget-password-mails.ts';
import { PasswordReset } from './password-reset.entity.ts';
import { requestPasswordMail } from './request-password-mail.ts';
import { ConfirmResetShape, RequestResetShape } from './password-resets.shapes.ts';

/** Sets new passwords with mailed tokens. */
export class PasswordResets {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly audit: Audit;
  private readonly emailVerifications: EmailVerifications;
  private readonly admissions: Admissions;

  constructor(
    unit: UnitOfWork,
    passwords: Passwords,
    audit: Audit,
    { emailVerifications, admissions }: { emailVerifications: EmailVerifications; admissions: Admissions },
  ) {
    this.unit = unit;
    this.passwords = passwords;
    this.audit = audit;
    this.emailVerifications = emailVerifications;
    this.admissions = admissions;
  }

  /**
   * Requests a mail with a token, in the same way for every email, so that neither answer nor time reveals whether the email
   * has an account.
   */
  async request(input: unknown): Promise<void> {
    const { email } = validated(RequestResetShape, input);
    await requestPasswordMail(this.unit, email, 'RESET');
  }

  /**
   * Sets a new password with a mailed token, which works once. Ends all sessions of the account, ends its lock after failed
   * log-ins, and verifies its email.
   * @throws VALIDATION_FAILED for a token that is not valid, and for a password that breaks the rules
   */
  async confirm(input: unknown): Promise<void> {
    const { token, password } = validated(ConfirmResetShape, input);
    const known = await this.unit.em.findOne(PasswordReset, {
      tokenHash: hashOf(token),
      expiresAt: { $gt: new Date() },
    });
    const user = known?.userId ? await this.unit.em.findOne(User, { id: known.userId }) : null;
    if (!known || !user) throw wrongToken();
    const problem = passwordProblem(password, user.email);
    if (problem) throw invalid('password', problem);
    const passwordHash = await this.passwords.hash(password);
    const admission = await this.admissions.of(user.id);
    await this.unit.transaction(async () => {
      // Every rule locks the account before other rows: a simultaneous log-in or refresh waits for this lock, and then reads the
      // new state.
      const locked = await this.unit.em.findOne(
        User,
        { id: user.id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      // If a token is used twice at once, only one of the two requests deletes its row. All other tokens of the account are
      // deleted below.
      const used = await this.unit.em.execute<unknown[]>(
        'delete from password_reset where token_hash = ? returning 1',
        [hashOf(token)],
      );
      if (!locked || used.length === 0) throw wrongToken();
      await forgetPasswordMails(this.unit.em, locked);
      await this.unit.em.nativeUpdate(User, { id: user.id }, { passwordHash });
      await markChanged(this.unit, locked, { losesRights: false });
      await this.emailVerifications.markVerified(locked, admission);
      await endAllSessionsOf(this.unit.em, user.id);
      await forgetFailures(this.unit.em, user.email);
      await this.audit.record('PASSWORD_RESET', user.id, { by: known.purpose });
    });
  }
}

const wrongToken = () =>
  invalid('token', 'expected a token that has neither been used nor expired; ask for a new mail');
