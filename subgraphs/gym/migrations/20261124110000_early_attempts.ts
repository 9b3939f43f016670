import { Migration } from '@mikro-orm/migrations';

export class EarlyAttempts extends Migration {
  override up(): void {
    this.addSql(
      `alter table "webhook_delivery" add "early_attempt_count" int not null default 0, add "earliest_attempt_at" timestamptz null, add "scheduled_at" timestamptz null, add "held_back" boolean not null default false;`,
    );
    this.addSql(
      `create index "webhook_delivery_waiting" on "webhook_delivery" ("webhook_id", "position") where "status" = 'PENDING' and "earliest_attempt_at" is not null;`,
    );
    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "position") where "status" = 'PENDING' and not "held_back";`,
    );
  }

  override down(): void {
    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(`drop index "webhook_delivery_waiting";`);
    this.addSql(
      `alter table "webhook_delivery" drop column "early_attempt_count", drop column "earliest_attempt_at", drop column "scheduled_at", drop column "held_back";`,
    );
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "position") where "status" = 'PENDING';`,
    );
  }
}
