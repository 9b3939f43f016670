import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { requireUser, Role } from '#server/auth/viewer.ts';
import { forbidden, notFound, unauthenticated } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { isUuid } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { removeAvatar } from '../avatars/avatars.ts';
import { PasswordReset } from '../password-resets/password-reset.entity.ts';
import { lastSuperAdmin, lockedSuperAdmins } from '../rights/rights.ts';
import { endAllSessionsOf } from '../sessions/ended-sessions.ts';
import { countFailure, forgetFailures, isLocked } from '../sessions/login-guard.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Passwords } from '../users/passwords.ts';
import { User } from '../users/user.entity.ts';
import type { Users } from '../users/users.ts';
import { AccountDeletion, Outcome, type AccountPart } from './account-deletion.entity.ts';
import { DeleteAccountShape, type AccountDeletionShape, type AccountExportShape } from './accounts.shapes.ts';

/** What the platform holds of a person as a whole: shown to her, and removed. */
export class Accounts {
  private readonly unit: UnitOfWork;
  private readonly users: Users;
  private readonly sessions: Sessions;
  private readonly passwords: Passwords;
  private readonly audit: Audit;
  private readonly files: FileStorage;

  constructor(
    unit: UnitOfWork,
    rules: { users: Users; sessions: Sessions; audit: Audit },
    passwords: Passwords,
    files: FileStorage,
  ) {
    this.unit = unit;
    this.users = rules.users;
    this.sessions = rules.sessions;
    this.audit = rules.audit;
    this.passwords = passwords;
    this.files = files;
  }

  /** Everything that identity holds of the viewer; no hash and no token is among it. */
  async export(): Promise<AccountExportShape> {
    const user = await this.users.me();
    return {
      exportedAt: new Date().toISOString(),
      services: {
        identity: {
          user,
          sessions: await this.sessions.list(),
          auditEvents: await this.audit.about(user.id),
        },
      },
    };
  }

  /** Deletes the viewer's account at once, and gives the receipt. @throws FORBIDDEN for a wrong password, CONFLICT for the last SUPER_ADMIN */
  async delete(input: unknown): Promise<AccountDeletionShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { password } = validated(DeleteAccountShape, input);
    await this.checkPassword(userId, password);
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      const superAdmins = await lockedSuperAdmins(this.unit);
      const user = await em.findOne(
        User,
        { id: userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!user) throw unauthenticated('Your account has been deleted.');
      if (user.role === Role.SUPER_ADMIN && superAdmins.length === 1) throw lastSuperAdmin();
      const { avatar, email } = user;
      const parts = [await this.eraseOwnPart(userId, email)];
      const now = new Date();
      const receipt = em.create(AccountDeletion, {
        id: randomUUID(),
        userId,
        requestedAt: now,
        finishedAt: isFinished(parts) ? now : null,
        parts,
      });
      await em.flush();
      await this.unit.afterCommit(() => removeAvatar(this.files, avatar));
      return presentDeletion(receipt);
    });
  }

  /** For whoever knows its id. @throws NOT_FOUND */
  async deletion(id: string): Promise<AccountDeletionShape> {
    const receipt = isUuid(id) ? await this.unit.em.findOne(AccountDeletion, { id }) : null;
    if (!receipt) throw notFound('deletion', id);
    return presentDeletion(receipt);
  }

  private async eraseOwnPart(userId: string, email: string): Promise<AccountPart> {
    const { em } = this.unit;
    await endAllSessionsOf(em, userId);
    await em.nativeDelete(PasswordReset, { userId });
    await forgetFailures(em, email);
    await em.execute('delete from user_account where id = ?', [userId]);
    await this.audit.record('ACCOUNT_DELETED', userId);
    return {
      service: 'identity',
      outcome: Outcome.DELETED,
      reason:
        'The audit of role changes, resets and deletions keeps the id of the account, without name or address.',
    };
  }

  /** A stolen access token must not do for trying passwords. */
  private async checkPassword(userId: string, password: string): Promise<void> {
    const [known] = await this.unit.em.execute<{ email: string; passwordHash: string | null }[]>(
      'select email, password_hash as "passwordHash" from user_account where id = ?',
      [userId],
    );
    const matches = await this.passwords.matches(password, known?.passwordHash);
    if (!known) throw unauthenticated('Your account has been deleted.');
    const attempt = { email: known.email, address: this.unit.origin.address };
    if (matches && !(await isLocked(this.unit.em, attempt))) return;
    await countFailure(this.unit.em, attempt);
    throw forbidden('The password is wrong.');
  }
}

const isFinished = (parts: readonly AccountPart[]): boolean =>
  parts.every(({ outcome }) => outcome !== Outcome.PENDING);

const presentDeletion = ({ id, requestedAt, finishedAt, parts }: AccountDeletion): AccountDeletionShape => ({
  id,
  requestedAt: requestedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  parts,
});
