import { Migration } from '@mikro-orm/migrations';

export class UsersAndSessions extends Migration {
  override up(): void {
    this.addSql(
      `create table "ended_session" ("session_id" uuid not null, "refused_until" timestamptz not null, "transaction" xid8 not null default pg_current_xact_id(), primary key ("session_id"));`,
    );
    this.addSql(
      `create index "ended_session_transaction_session_id_index" on "ended_session" ("transaction", "session_id");`,
    );
    this.addSql(`create index "ended_session_refused_until_index" on "ended_session" ("refused_until");`);
    this.addSql(
      `create table "login_failures" ("key" varchar(80) not null, "failed_at" timestamptz[] not null, "locked_until" timestamptz null, "updated_at" timestamptz not null, primary key ("key"));`,
    );
    this.addSql(`create index "login_failures_updated_at_index" on "login_failures" ("updated_at");`);
    this.addSql(
      `create table "signing_key" ("kid" varchar(43) not null, "private_key" text not null, "created_at" timestamptz not null, "signs_from" timestamptz not null, "published_until" timestamptz null, primary key ("kid"));`,
    );
    this.addSql(
      `create table "user_account" ("id" uuid not null, "email" varchar(254) not null, "password_hash" text null, "display_name" varchar(80) not null, "bio" varchar(2000) null, "role" varchar(16) not null, "gym_id" uuid null, "qr_code" varchar(40) not null, "avatar" varchar(100) null, "locale" varchar(35) not null default 'en', "timezone" varchar(64) not null default 'UTC', "units" varchar(8) not null default 'METRIC', "rights_changed_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "user_account" add constraint "user_account_qr_code_unique" unique ("qr_code");`,
    );
    this.addSql(`create index "user_account_gym_id_id_index" on "user_account" ("gym_id", "id");`);
    this.addSql(
      `create index "user_account_super_admins" on "user_account" ("id") where "role" = 'SUPER_ADMIN';`,
    );
    this.addSql(`create unique index "user_account_email_any_case" on "user_account" (lower("email"));`);
    this.addSql(
      `create table "login_session" ("id" uuid not null, "user_id" uuid not null, "user_agent" varchar(256) not null, "address" varchar(64) not null, "created_at" timestamptz not null, "last_used_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "login_session_user_id_last_used_at_index" on "login_session" ("user_id", "last_used_at");`,
    );
    this.addSql(`create index "login_session_expires_at_index" on "login_session" ("expires_at");`);
    this.addSql(
      `create table "refresh_token" ("hash" varchar(43) not null, "session_id" uuid not null, "created_at" timestamptz not null, "used_at" timestamptz null, primary key ("hash"));`,
    );
    this.addSql(`create index "refresh_token_session_id_index" on "refresh_token" ("session_id");`);
    this.addSql(`create index "refresh_token_created_at_index" on "refresh_token" ("created_at");`);
    this.addSql(
      `alter table "login_session" add constraint "login_session_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "refresh_token" add constraint "refresh_token_session_id_foreign" foreign key ("session_id") references "login_session" ("id") on delete cascade;`,
    );
  }

  override down(): void {
    this.addSql(`alter table "login_session" drop constraint "login_session_user_id_foreign";`);
    this.addSql(`alter table "refresh_token" drop constraint "refresh_token_session_id_foreign";`);
    this.addSql(`drop table if exists "ended_session" cascade;`);
    this.addSql(`drop table if exists "login_failures" cascade;`);
    this.addSql(`drop table if exists "signing_key" cascade;`);
    this.addSql(`drop table if exists "user_account" cascade;`);
    this.addSql(`drop table if exists "login_session" cascade;`);
    this.addSql(`drop table if exists "refresh_token" cascade;`);
  }
}
