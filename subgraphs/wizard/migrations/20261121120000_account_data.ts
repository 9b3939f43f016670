import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

/** A deleted user can neither create nor claim a session. */
export class AccountData extends Migration {
  override up(): void {
    for (const statement of refuseErasedAccount('wizard_session', 'created_by', ['insert', 'update']))
      this.addSql(statement);
  }

  override down(): void {
    for (const statement of acceptErasedAccount('wizard_session', 'created_by', ['insert', 'update']))
      this.addSql(statement);
  }
}
