import { LockMode } from '@mikro-orm/core';
import { invalid } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { endAllSessionsOf } from '../sessions/ended-sessions.ts';
import { forgetFailures } from '../sessions/login-guard.ts';
import { hashOf } from '../sessions/secrets.ts';
import { passwordProblem } from '../users/password-rules.ts';
import type { Passwords } from '../users/passwords.ts';
import { User } from '../users/user.entity.ts';
import { PasswordReset, type ResetPurpose } from './password-reset.entity.ts';
import { ConfirmResetShape, RequestResetShape } from './password-resets.shapes.ts';
import type { ResetMailer } from './reset-mailer.ts';

/** Sets new passwords with mailed tokens. */
export class PasswordResets {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly mailer: ResetMailer;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, passwords: Passwords, mailer: ResetMailer, audit: Audit) {
    this.unit = unit;
    this.passwords = passwords;
    this.mailer = mailer;
    this.audit = audit;
  }

  /** Stores the request in the same way for every address; the mail is sent afterwards. */
  async request(input: unknown): Promise<void> {
    const { email } = validated(RequestResetShape, input);
    await this.requestMail(email, 'RESET');
  }

  /** Requests a mail to the account that will have this address when the mail is sent. */
  async requestMail(email: string, purpose: ResetPurpose): Promise<void> {
    const now = new Date();
    await this.unit.em.insert(PasswordReset, {
      id: uuidv7(),
      purpose,
      email,
      requestedAt: now,
      nextAttemptAt: now,
      attempts: 0,
    });
    await this.unit.afterCommit(() => this.mailer.wake());
  }

  /** Sets the password; a token works once. Ends every session, and unlocks a locked account. */
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
    await this.unit.transaction(async () => {
      // The account is locked first, as everywhere: a simultaneous log-in or refresh waits and reads the new state.
      const locked = await this.unit.em.findOne(
        User,
        { id: user.id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      // Deletes this token and all others. If a token is used twice at once, only one of the two finds its row.
      const used = await this.unit.em.execute<unknown[]>(
        'delete from password_reset where token_hash = ? returning 1',
        [hashOf(token)],
      );
      if (!locked || used.length === 0) throw wrongToken();
      await this.unit.em.nativeDelete(PasswordReset, { userId: user.id });
      await this.unit.em.nativeUpdate(
        User,
        { id: user.id },
        { passwordHash, updatedAt: new Date(), version: locked.version + 1 },
      );
      await endAllSessionsOf(this.unit.em, user.id);
      await forgetFailures(this.unit.em, user.email);
      await this.audit.record('PASSWORD_RESET', user.id, { by: known.purpose });
    });
  }
}

const wrongToken = () =>
  invalid('token', 'expected a token that has neither been used nor expired; ask for a new mail');
