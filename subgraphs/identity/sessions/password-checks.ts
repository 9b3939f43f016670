import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Audit } from '../audit/audit.ts';
import type { Passwords } from '../users/passwords.ts';
import { countFailure, isLocked } from './login-guard.ts';

/** What is known of an account before its password is checked; all null if nobody has the address. */
export interface Credentials {
  id: string | null;
  email: string;
  passwordHash: string | null;
}

/**
 * Checks passwords. Every check counts as a log-in, also one behind a session, so that a stolen access token is no way
 * to try passwords; failures and locks are audited. The steps and the statements are the same whether the account
 * exists or not: neither time nor text tells it.
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
    // Asked after the slow part: none of many attempts at once is let through before the others are counted.
    if (matches && id !== null && !(await isLocked(this.unit.em, attempt))) return true;
    await this.unit.transaction(async () => {
      const { counted, locked } = await countFailure(this.unit.em, attempt);
      if (counted) await this.audit.record('LOGIN_FAILED', id);
      for (const by of locked) await this.audit.record('LOGIN_LOCKED', by === 'account' ? id : null, { by });
    });
    return false;
  }
}
