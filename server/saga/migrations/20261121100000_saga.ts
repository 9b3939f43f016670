import { Migration } from '@mikro-orm/migrations';

export class CreateSaga extends Migration {
  override up(): void {
    this.addSql(
      `create table "saga" ("id" uuid not null, "kind" varchar(64) not null, "subject" varchar(255) not null, "status" varchar(16) not null, "context" jsonb null, "actions" jsonb not null, "result" jsonb null, "started_at" timestamptz not null, "finished_at" timestamptz null, "due_at" timestamptz not null, "lease_holder" uuid null, "leased_until" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "saga_kind_subject_index" on "saga" ("kind", "subject");`);
    this.addSql(`create index "saga_due_index" on "saga" ("due_at") where finished_at is null;`);
    this.addSql(
      `create unique index "saga_one_of_a_subject" on "saga" ("kind", "subject") where status <> 'UNDONE';`,
    );
  }

  override down(): void {
    this.addSql(`drop table "saga";`);
  }
}
