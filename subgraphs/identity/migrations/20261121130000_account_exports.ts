import { Migration } from '@mikro-orm/migrations';

export class AccountExports extends Migration {
  override up(): void {
    this.addSql(
      `create table "account_export" ("id" uuid not null, "user_id" uuid not null, "requested_at" timestamptz not null, "finished_at" timestamptz null, "expires_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "account_export_user_id_id_index" on "account_export" ("user_id", "id");`);
    this.addSql(`create index "account_export_expires_at_index" on "account_export" ("expires_at");`);
    this.addSql(
      `create unique index "account_export_under_way" on "account_export" ("user_id") where "finished_at" is null;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "account_export";`);
  }
}
