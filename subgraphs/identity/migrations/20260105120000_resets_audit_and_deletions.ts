import { Migration } from '@mikro-orm/migrations';

export class ResetsAuditAndDeletions extends Migration {
  override up(): void {
    this.addSql(
      `create table "account_deletion" ("id" uuid not null, "user_id" uuid not null, "requested_at" timestamptz not null, "finished_at" timestamptz null, "parts" jsonb not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "account_deletion" add constraint "account_deletion_user_id_unique" unique ("user_id");`,
    );
    this.addSql(
      `create table "audit_event" ("id" uuid not null, "at" timestamptz not null, "action" varchar(40) not null, "actor" varchar(80) not null, "subject_id" uuid null, "details" jsonb not null, "request_id" varchar(128) not null, primary key ("id"));`,
    );
    this.addSql(`create index "audit_event_subject_id_id_index" on "audit_event" ("subject_id", "id");`);
    this.addSql(
      `create table "password_reset" ("id" uuid not null, "purpose" varchar(16) not null, "email" varchar(254) not null, "requested_at" timestamptz not null, "next_attempt_at" timestamptz not null, "attempts" int not null default 0, "sent_at" timestamptz null, "user_id" uuid null, "token_hash" varchar(43) null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "password_reset" add constraint "password_reset_token_hash_unique" unique ("token_hash");`,
    );
    this.addSql(
      `create index "password_reset_unsent" on "password_reset" ("next_attempt_at") where "sent_at" is null;`,
    );
    this.addSql(`create index "password_reset_user_id_index" on "password_reset" ("user_id");`);
    this.addSql(`create index "password_reset_requested_at_index" on "password_reset" ("requested_at");`);
  }

  override down(): void {
    this.addSql(`drop table if exists "account_deletion" cascade;`);
    this.addSql(`drop table if exists "audit_event" cascade;`);
    this.addSql(`drop table if exists "password_reset" cascade;`);
  }
}
