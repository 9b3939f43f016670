import { Migration } from '@mikro-orm/migrations';

export class Webhooks extends Migration {
  override up(): void {
    this.addSql(
      `create table "webhook" ("id" uuid not null, "gym_id" uuid null, "url" text not null, "types" text[] not null, "description" varchar(200) null, "active" boolean not null default true, "disabled_reason" text null, "location_id" uuid null, "secret" text not null, "previous_secret" text null, "previous_until" timestamptz null, "since_position" bigint not null, "failing_since" timestamptz null, "mail_due_at" timestamptz null, "created_at" timestamptz not null, "version" int not null default 1, primary key ("id"));`,
    );
    this.addSql(`create index "webhook_gym_id_id_index" on "webhook" ("gym_id", "id");`);
    this.addSql(`create index "webhook_location_id_index" on "webhook" ("location_id");`);
    this.addSql(
      `alter table "webhook" add constraint "webhook_gym_id_foreign" foreign key ("gym_id") references "gym" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "webhook" add constraint "webhook_location_id_foreign" foreign key ("location_id") references "location" ("id") on delete cascade;`,
    );
    this.addSql(
      `create table "webhook_delivery" ("id" uuid not null, "webhook_id" uuid not null, "event_id" uuid not null, "type" varchar(64) not null, "subject" varchar(128) not null, "position" bigint not null, "test_event" jsonb null, "status" varchar(16) not null, "attempt_count" int not null default 0, "attempts" jsonb not null, "next_attempt_at" timestamptz null, "claim" uuid null, "claimed_until" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "webhook_delivery_webhook_id_id_index" on "webhook_delivery" ("webhook_id", "id");`,
    );
    this.addSql(`create index "webhook_delivery_event_id_index" on "webhook_delivery" ("event_id");`);
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at") where "status" = 'PENDING';`,
    );
    this.addSql(
      `create index "webhook_delivery_first" on "webhook_delivery" ("webhook_id", "subject", "position") where "status" = 'PENDING';`,
    );
    this.addSql(
      `create index "webhook_delivery_claimed" on "webhook_delivery" ("webhook_id") where "claim" is not null;`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_webhook_id_event_id_unique" unique ("webhook_id", "event_id");`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_webhook_id_foreign" foreign key ("webhook_id") references "webhook" ("id") on delete cascade;`,
    );
    this.addSql(
      `create table "webhook_cursor" ("feed" varchar(16) not null, "position" bigint not null, primary key ("feed"));`,
    );
    this.addSql(`insert into "webhook_cursor" ("feed", "position") values ('collected', 0);`);
  }

  override down(): void {
    this.addSql(`drop table "webhook_cursor";`);
    this.addSql(`drop table "webhook_delivery";`);
    this.addSql(`drop table "webhook";`);
  }
}
