import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import type { Passwords } from '../users/passwords.ts';
import { countFailure, isLocked } from './login-guard.ts';

/**
 * An account before its password is checked. If no account has the email, `id` and `passwordHash` are null. `passwordHash` is
 * also null if an invited user has not set a password yet.
 */
export interface Credentials {
  id: string | null;
  email: string;
  passwordHash: string | null;
}

/**
 * Checks passwords. Every check counts as a log-in attempt, also the check of a logged-in user, so that a stolen access token
 * cannot be used to guess passwords; failures and locks are audited. Steps and statements are the same whether the account
 * exists or not, so that neither the time nor the message reveals it.
 */
export class PasswordChecks {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, passwords: Passwords, audit: Audit) {
    this.unit = unit;
    this.passwords = passwords;
    this.audit = audit;
  }

  /** Whether the password is right and neither account nor address is locked. A failure is counted. */
  async check({ id, email, passwordHash }: Credentials, password: string): Promise<boolean> {
    const attempt = { email, address: this.unit.origin.address };
    const matches = await this.passwords.matches(password, passwordHash);
    // Locks are checked after the slow hash, so that many simultaneous attempts cannot all pass before the failures are counted.
    if (matches && id !== null && !(await isLocked(this.unit.em, attempt))) return true;
    await this.unit.transaction(async () => {
      const { counted, locked } = await countFailure(this.unit.em, attempt);
      if (counted) await this.audit.record('LOGIN_FAILED', id);
      for (const by of locked) await this.audit.record('LOGIN_LOCKED', by === 'account' ? id : null, { by });
    });
    return false;
  }
}
