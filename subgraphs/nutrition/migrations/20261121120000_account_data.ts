import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class AccountData extends Migration {
  override up(): void {
    this.addSql(`create index "food_log_import_user_id_id_index" on "food_log_import" ("user_id", "id");`);
    for (const table of ['food_log', 'nutrition_goal', 'food_log_import'])
      for (const statement of refuseErasedAccount(table, 'user_id')) this.addSql(statement);
  }

  override down(): void {
    for (const table of ['food_log', 'nutrition_goal', 'food_log_import'])
      for (const statement of acceptErasedAccount(table, 'user_id')) this.addSql(statement);
    this.addSql(`drop index "food_log_import_user_id_id_index";`);
  }
}
