import { Migration } from '@mikro-orm/migrations';

export class FilesWithoutRows extends Migration {
  override up(): void {
    this.addSql(
      `create index "user_account_avatar" on "user_account" ("avatar") where "avatar" is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index "user_account_avatar";`);
  }
}
