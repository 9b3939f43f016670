import { Migration } from '@mikro-orm/migrations';

export class Events extends Migration {
  override up(): void {
    this.addSql(`alter table "location" add column "announced_level" varchar(8) not null default 'OK';`);
    this.addSql(`alter table "challenge" add column "end_announced_at" timestamptz null;`);
    // Challenges that ended before there were events are not announced.
    this.addSql(`update "challenge" set "end_announced_at" = "ends_at" where "ends_at" <= now();`);
    this.addSql(
      `create index "challenge_end_not_announced" on "challenge" ("ends_at") where "end_announced_at" is null;`,
    );
    this.addSql(
      `create table "collected_feed" ("service" varchar(32) not null, "cursor" text null, "holder" uuid null, "held_until" timestamptz null, primary key ("service"));`,
    );
  }

  override down(): void {
    this.addSql(`drop table "collected_feed";`);
    this.addSql(`alter table "challenge" drop column "end_announced_at";`);
    this.addSql(`alter table "location" drop column "announced_level";`);
  }
}
