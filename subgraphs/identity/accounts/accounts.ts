import { LockMode } from '@mikro-orm/core';
import { requireUser, Role } from '#server/auth/viewer.ts';
import { forbidden, notFound, unauthenticated } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { isUuid } from '#server/ids.ts';
import type { Sagas } from '#server/saga/sagas.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { avatarKeys } from '../avatars/avatars.ts';
import { lastSuperAdmin, lockedSuperAdmins } from '../rights/rights.ts';
import type { Credentials, PasswordChecks } from '../sessions/password-checks.ts';
import { memberOf, recordMemberChange } from '../users/member-events.ts';
import { User } from '../users/user.entity.ts';
import { AccountDeletion } from './account-deletion.entity.ts';
import { DeleteAccountShape, type AccountDeletionShape } from './accounts.shapes.ts';
import { eraseOwnPart, startErasure } from './erase-account.ts';
import { EXPORT_SAGA } from './export-saga.ts';
import { SECTIONS, sectionKey } from './export-sections.ts';

/** Deletes accounts: in identity at once, in each other service as soon as it answers. */
export class Accounts {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly resources: { passwordChecks: PasswordChecks; sagas: Sagas; files: FileStorage };

  constructor(
    unit: UnitOfWork,
    audit: Audit,
    resources: { passwordChecks: PasswordChecks; sagas: Sagas; files: FileStorage },
  ) {
    this.unit = unit;
    this.audit = audit;
    this.resources = resources;
  }

  /**
   * Deletes the viewer's account, and returns the receipt. One transaction deletes sessions and profile and stores the saga
   * that erases the account in the other services, so an acknowledged deletion is carried out even if processes stop.
   * @throws FORBIDDEN for a wrong password, CONFLICT for the last SUPER_ADMIN who can log in
   */
  async delete(input: unknown): Promise<AccountDeletionShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { password } = validated(DeleteAccountShape, input);
    const passwordHash = await this.checkedHash(userId, password);
    return this.unit.transaction(async () => {
      const { em } = this.unit;
      const superAdmins = await lockedSuperAdmins(this.unit);
      const user = await em.findOne(
        User,
        { id: userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, populate: ['passwordHash'] },
      );
      if (!user) throw unauthenticated('Your account has been deleted.');
      // The old password must not delete an account whose password was changed a moment ago.
      if (user.passwordHash !== passwordHash) throw forbidden('The password is wrong.');
      if (user.role === Role.SUPER_ADMIN && superAdmins.length === 1) throw lastSuperAdmin();
      await recordMemberChange(this.unit, memberOf(this.unit, user), null);
      const keys = [...avatarKeys(user.avatar), ...(await this.eraseExports(userId))];
      await this.audit.record('ACCOUNT_DELETED', userId); // before the deletion: the record gets its gym from the account
      await eraseOwnPart(this.unit, user);
      const receipt = await startErasure(this.unit, this.resources.sagas, userId, keys);
      // If this process stops before it has deleted all files, the saga deletes them.
      await this.unit.afterCommit(async () => {
        for (const key of keys) await this.resources.files.delete(key);
      });
      return presentDeletion(receipt);
    });
  }

  /** The receipt of a deletion; every caller who knows its id may read it. @throws NOT_FOUND */
  async deletion(id: string): Promise<AccountDeletionShape> {
    const receipt = isUuid(id) ? await this.unit.em.findOne(AccountDeletion, { id }) : null;
    if (!receipt) throw notFound('deletion', id);
    return presentDeletion(receipt);
  }

  /** Deletes the exports of the user, and returns the storage keys of their files. */
  private async eraseExports(userId: string): Promise<string[]> {
    const deleted = await this.unit.em.execute<{ id: string }[]>(
      'delete from account_export where user_id = ? returning id',
      [userId],
    );
    const ids = deleted.map(({ id }) => id);
    await this.unit.em.execute('delete from saga where kind = ? and subject in (?)', [
      EXPORT_SAGA,
      ids.length > 0 ? ids : [''],
    ]);
    return ids.flatMap((id) => SECTIONS.map((service) => sectionKey(id, service)));
  }

  /** The hash of the user's password, which is compared with `password`. @throws FORBIDDEN for a wrong password */
  private async checkedHash(userId: string, password: string): Promise<string | null> {
    const [known] = await this.unit.em.execute<Credentials[]>(
      'select id, email, password_hash as "passwordHash" from user_account where id = ?',
      [userId],
    );
    if (!known) throw unauthenticated('Your account has been deleted.');
    if (!(await this.resources.passwordChecks.check(known, password)))
      throw forbidden('The password is wrong.');
    return known.passwordHash;
  }
}

const presentDeletion = ({ id, requestedAt, finishedAt, parts }: AccountDeletion): AccountDeletionShape => ({
  id,
  requestedAt: requestedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  parts,
});
