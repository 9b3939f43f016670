import { Migration } from '@mikro-orm/migrations';

export class Sessions extends Migration {
  override up(): void {
    this.addSql(
      `create table "wizard_session" ("id" uuid not null, "kind" varchar(32) not null, "status" varchar(16) not null, "definition_version" int not null, "current_step" varchar(64) not null, "data" jsonb not null, "version" int not null, "created_by" uuid null, "gym_id" uuid null, "resume_token_hash" varchar(64) null, "expires_at" timestamptz not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "wizard_session_created_by_id_index" on "wizard_session" ("created_by", "id");`,
    );
  }

  override down(): void {
    this.addSql(`drop table if exists "wizard_session" cascade;`);
  }
}
