import { Migration } from '@mikro-orm/migrations';

export class GymsAndLocations extends Migration {
  override up(): void {
    this.addSql(
      `create table "gym" ("id" uuid not null, "slug" varchar(63) not null, "name" varchar(120) not null, "theme" jsonb not null, "assets" jsonb not null, "features" jsonb not null, "version" int not null default 1, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "gym" add constraint "gym_slug_unique" unique ("slug");`);

    this.addSql(
      `create table "location" ("id" uuid not null, "gym_id" uuid not null, "name" varchar(120) not null, "address" varchar(300) null, "timezone" varchar(64) not null, "capacity" int not null, "max_stay_minutes" int not null default 90, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "location_gym_id_name_id_index" on "location" ("gym_id", "name", "id");`);

    this.addSql(
      `create table "check_in" ("id" uuid not null, "user_id" uuid not null, "gym_id" uuid not null, "location_id" uuid not null, "checked_in_at" timestamptz not null, "checked_out_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `create index "check_in_user_id_checked_in_at_index" on "check_in" ("user_id", "checked_in_at");`,
    );
    this.addSql(
      `create index "check_in_open_by_location" on "check_in" ("location_id") where "checked_out_at" is null;`,
    );
    this.addSql(
      `create unique index "check_in_open_by_user" on "check_in" ("user_id") where "checked_out_at" is null;`,
    );
  }
}
