import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { forbidden, invalid, unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { forgetPasswordMails } from '../password-resets/forget-password-mails.ts';
import { endOtherSessionsOf } from '../sessions/ended-sessions.ts';
import { forgetFailures } from '../sessions/login-guard.ts';
import type { PasswordChecks } from '../sessions/password-checks.ts';
import { passwordProblem } from '../users/password-rules.ts';
import type { Passwords } from '../users/passwords.ts';
import { User } from '../users/user.entity.ts';
import { ChangePasswordShape } from './password-changes.shapes.ts';

/** Changes of passwords by logged-in users. */
export class PasswordChanges {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly passwordChecks: PasswordChecks;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, passwords: Passwords, passwordChecks: PasswordChecks, audit: Audit) {
    this.unit = unit;
    this.passwords = passwords;
    this.passwordChecks = passwordChecks;
    this.audit = audit;
  }

  /**
   * Changes the viewer's password, ends all their sessions but the current one, and makes mailed tokens invalid: the reason for
   * the change may be that somebody else reads the user's mails.
   * @throws FORBIDDEN for a wrong current password, which counts as a failed log-in; VALIDATION_FAILED for a new password
   * that breaks the rules
   */
  async change(input: unknown): Promise<void> {
    const viewer = requireUser(this.unit.viewer);
    const { current, password } = validated(ChangePasswordShape, input);
    const user = await this.unit.em.findOne(User, { id: viewer.userId }, { populate: ['passwordHash'] });
    if (!user) throw unauthenticated('Your account has been deleted.');
    const { id, email } = user;
    const checkedHash = user.passwordHash ?? null;
    const problem = passwordProblem(password, email);
    if (problem) throw invalid('password', problem);
    if (!(await this.passwordChecks.check({ id, email, passwordHash: checkedHash }, current)))
      throw forbidden('The current password is wrong.');
    const passwordHash = await this.passwords.hash(password);
    await this.unit.transaction(async () => {
      // Every rule locks the account before other rows: a simultaneous log-in or refresh waits for this lock, and then reads the
      // new state.
      const locked = await this.unit.em.findOne(
        User,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, populate: ['passwordHash'] },
      );
      if (!locked) throw unauthenticated('Your account has been deleted.');
      if ((locked.passwordHash ?? null) !== checkedHash) throw forbidden('The current password is wrong.');
      await this.unit.em.nativeUpdate(
        User,
        { id },
        { passwordHash, updatedAt: new Date(), version: locked.version + 1 },
      );
      await endOtherSessionsOf(this.unit.em, id, viewer.sessionId);
      await forgetPasswordMails(this.unit.em, { id, email });
      await forgetFailures(this.unit.em, email);
      await this.audit.record('PASSWORD_CHANGED', id);
    });
  }
}
