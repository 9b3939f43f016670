import { Migration } from '@mikro-orm/migrations';

export class ProfileAndRelations extends Migration {
  override up(): void {
    this.addSql(
      `alter table "user_account" add "version" int not null default 1, add "body" jsonb null, add "training_goals" jsonb null;`,
    );
    this.addSql(
      `create index "user_account_invited" on "user_account" ("gym_id", "id") where "password_hash" is null;`,
    );
    this.addSql(
      `create index "user_account_invited_anywhere" on "user_account" ("id") where "password_hash" is null;`,
    );
    this.addSql(
      `create index "refresh_token_used" on "refresh_token" ("used_at") where "used_at" is not null;`,
    );
    for (const table of ['password_reset', 'account_export']) {
      this.addSql(
        `delete from "${table}" where "user_id" is not null and not exists (select 1 from "user_account" where "user_account"."id" = "${table}"."user_id");`,
      );
      this.addSql(
        `alter table "${table}" add constraint "${table}_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
      );
    }
  }

  override down(): void {
    for (const table of ['account_export', 'password_reset'])
      this.addSql(`alter table "${table}" drop constraint "${table}_user_id_foreign";`);
    this.addSql(`drop index "refresh_token_used";`);
    this.addSql(`drop index "user_account_invited_anywhere";`);
    this.addSql(`drop index "user_account_invited";`);
    this.addSql(
      `alter table "user_account" drop column "training_goals", drop column "body", drop column "version";`,
    );
  }
}
