import { Migration } from '@mikro-orm/migrations';

export class CreateIdempotencyRecord extends Migration {
  override up(): void {
    this.addSql(
      `create table "idempotency_record" ("caller" text not null, "key" text not null, "operation" text not null, "fingerprint" text not null, "status" int not null, "headers" jsonb not null, "body" text null, "created_at" timestamptz not null, primary key ("caller", "key"));`,
    );
    this.addSql(`create index "idempotency_record_created_at_index" on "idempotency_record" ("created_at");`);
  }

  override down(): void {
    this.addSql(`drop table "idempotency_record";`);
  }
}
