import { Migration } from '@mikro-orm/migrations';

/** Goals are valid from a day on. The goals that exist already were valid on every day, so they become valid from 1900 on. */
export class GoalsFrom extends Migration {
  override up(): void {
    this.addSql(`alter table "nutrition_goal" add column "valid_from" date null;`);
    this.addSql(`update "nutrition_goal" set "valid_from" = '1900-01-01' where "date" is null;`);
    this.addSql(`alter table "nutrition_goal" alter column "calories" drop not null;`);
    this.addSql(
      `alter table "nutrition_goal" add constraint "nutrition_goal_from" check (("date" is null) = ("valid_from" is not null)), add constraint "nutrition_goal_end" check ("calories" is not null or "date" is null);`,
    );
    this.addSql(`drop index "nutrition_goal_of";`);
    this.addSql(
      `create unique index "nutrition_goal_of" on "nutrition_goal" ("user_id", coalesce("weekday", 0), coalesce("date", '0001-01-01'::date), coalesce("valid_from", '0001-01-01'::date));`,
    );
  }

  /** Of several goals of one kind only the latest stays. */
  override down(): void {
    this.addSql(
      `delete from "nutrition_goal" as "old" using "nutrition_goal" as "new" where "old"."date" is null and "new"."date" is null and "old"."user_id" = "new"."user_id" and "old"."weekday" is not distinct from "new"."weekday" and "old"."valid_from" < "new"."valid_from";`,
    );
    this.addSql(`delete from "nutrition_goal" where "calories" is null;`);
    this.addSql(`drop index "nutrition_goal_of";`);
    this.addSql(
      `create unique index "nutrition_goal_of" on "nutrition_goal" ("user_id", coalesce("weekday", 0), coalesce("date", '0001-01-01'::date));`,
    );
    this.addSql(
      `alter table "nutrition_goal" drop constraint "nutrition_goal_from", drop constraint "nutrition_goal_end", drop column "valid_from", alter column "calories" set not null;`,
    );
  }
}
