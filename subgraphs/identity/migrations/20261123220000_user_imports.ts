import { Migration } from '@mikro-orm/migrations';

export class UserImports extends Migration {
  override up(): void {
    this.addSql(
      `create table "user_import" ("id" uuid not null, "gym_id" uuid not null, "status" varchar(10) not null, "invites" boolean not null, "total" int not null default 0, "created" int not null default 0, "existing" int not null default 0, "failed" int not null default 0, "started_at" timestamptz not null, "finished_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "user_import_started_at_index" on "user_import" ("started_at");`);
    this.addSql(
      `create table "user_import_line" ("import_id" uuid not null, "line" int not null, "status" varchar(10) not null, "email" varchar(254) null, "display_name" varchar(80) null, "user_id" uuid null, "errors" jsonb null, primary key ("import_id", "line"));`,
    );
    this.addSql(
      `create index "user_import_line_pending" on "user_import_line" ("import_id", "line") where "status" = 'PENDING';`,
    );
    this.addSql(
      `create index "user_import_line_import_id_status_line_index" on "user_import_line" ("import_id", "status", "line");`,
    );
    this.addSql(`create index "user_import_line_user_id_index" on "user_import_line" ("user_id");`);
    this.addSql(
      `alter table "user_import_line" add constraint "user_import_line_import_id_foreign" foreign key ("import_id") references "user_import" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "user_import_line" add constraint "user_import_line_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete set null;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "user_import_line";`);
    this.addSql(`drop table "user_import";`);
  }
}
