import { Migration } from '@mikro-orm/migrations';

/** Challenges that are made again every month, and the lists of coming and past challenges. */
export class ChallengeSeries extends Migration {
  override up(): void {
    this.addSql(
      `alter table "challenge" add column "recurrence" varchar(16) null, add column "timezone" varchar(64) null, add column "series_starts_at" timestamptz null, add column "series_ends_at" timestamptz null, add column "series_index" int not null default 0, add column "continued_at" timestamptz null;`,
    );
    this.addSql(
      `create index "challenge_to_continue" on "challenge" ("starts_at") where "recurrence" is not null and "continued_at" is null;`,
    );
    this.addSql(
      `create index "challenge_gym_id_starts_at_id_index" on "challenge" ("gym_id", "starts_at", "id");`,
    );
  }

  override down(): void {
    this.addSql(`drop index "challenge_gym_id_starts_at_id_index";`);
    this.addSql(`drop index "challenge_to_continue";`);
    this.addSql(
      `alter table "challenge" drop column "recurrence", drop column "timezone", drop column "series_starts_at", drop column "series_ends_at", drop column "series_index", drop column "continued_at";`,
    );
  }
}
