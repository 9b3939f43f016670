import { Migration } from '@mikro-orm/migrations';

export class FoodLogs extends Migration {
  override up(): void {
    this.addSql(
      `create table "food_log" ("id" uuid not null, "user_id" uuid not null, "food_name" varchar(200) not null, "calories" int not null, "protein" double precision not null, "carbs" double precision not null, "fats" double precision not null, "quantity" double precision null, "unit" varchar(40) null, "grams" double precision null, "meal_type" varchar(10) null, "source" varchar(12) not null, "logged_at" timestamptz not null, "local_date" date not null, "created_at" timestamptz not null, "version" int not null default 1, "import_key" varchar(64) null, primary key ("id"));`,
    );
    this.addSql(`create index "food_log_diary" on "food_log" ("user_id", "local_date", "logged_at", "id");`);
    this.addSql(
      `create unique index "food_log_import_key" on "food_log" ("user_id", "import_key") where "import_key" is not null;`,
    );

    this.addSql(
      `create table "food_log_day" ("user_id" uuid not null, "local_date" date not null, "entries" int not null, "calories" bigint not null, "protein" double precision not null, "carbs" double precision not null, "fats" double precision not null, primary key ("user_id", "local_date"));`,
    );

    this.addSql(
      `create table "nutrition_goal" ("id" uuid not null, "user_id" uuid not null, "weekday" smallint null, "date" date null, "calories" int not null, "protein" double precision null, "carbs" double precision null, "fats" double precision null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create unique index "nutrition_goal_of" on "nutrition_goal" ("user_id", coalesce("weekday", 0), coalesce("date", '0001-01-01'::date));`,
    );

    this.addSql(
      `create table "food_log_import" ("id" uuid not null, "user_id" uuid not null, "status" varchar(10) not null, "lines" int not null default 0, "imported" int not null default 0, "duplicates" int not null default 0, "failed" int not null default 0, "errors" jsonb not null, "started_at" timestamptz not null, "finished_at" timestamptz null, primary key ("id"));`,
    );
  }

  override down(): void {
    for (const table of ['food_log_import', 'nutrition_goal', 'food_log_day', 'food_log'])
      this.addSql(`drop table "${table}";`);
  }
}
