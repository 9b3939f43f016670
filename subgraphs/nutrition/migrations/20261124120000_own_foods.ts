import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class OwnFoods extends Migration {
  override up(): void {
    this.addSql(
      `create table "food" ("id" uuid not null, "user_id" uuid null, "name" varchar(200) not null, "brand" varchar(100) null, "barcode" varchar(13) null, "calories" double precision not null, "protein" double precision null, "carbs" double precision null, "fats" double precision null, "fibre" double precision null, "sugars" double precision null, "salt" double precision null, "measures" jsonb not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "version" int not null default 1, primary key ("id"), constraint "food_owned_or_product" check ("user_id" is not null or "barcode" is not null));`,
    );
    this.addSql(
      `create unique index "food_own_name" on "food" ("user_id", lower("name"), lower(coalesce("brand", ''))) where "user_id" is not null;`,
    );
    this.addSql(
      `create unique index "food_own_barcode" on "food" ("user_id", "barcode") where "user_id" is not null and "barcode" is not null;`,
    );
    this.addSql(`create unique index "food_product_barcode" on "food" ("barcode") where "user_id" is null;`);
    this.addSql(
      `create table "food_favourite" ("id" uuid not null, "user_id" uuid not null, "food_id" uuid null, "table_food_id" varchar(60) null, "created_at" timestamptz not null, primary key ("id"), constraint "food_favourite_one" check (("food_id" is null) <> ("table_food_id" is null)));`,
    );
    this.addSql(
      `alter table "food_favourite" add constraint "food_favourite_food_id_foreign" foreign key ("food_id") references "food" ("id") on delete cascade;`,
    );
    this.addSql(`create index "food_favourite_food_id_index" on "food_favourite" ("food_id");`);
    this.addSql(
      `create unique index "food_favourite_of" on "food_favourite" ("user_id", coalesce("food_id"::text, "table_food_id"));`,
    );
    this.addSql(
      `alter table "food_log" add column "food_id" uuid null, add column "table_food_id" varchar(60) null;`,
    );
    this.addSql(
      `alter table "food_log" add constraint "food_log_food_id_foreign" foreign key ("food_id") references "food" ("id") on delete set null;`,
    );
    this.addSql(`create index "food_log_food_id_index" on "food_log" ("food_id");`);
    for (const table of ['food', 'food_favourite'])
      for (const statement of refuseErasedAccount(table, 'user_id')) this.addSql(statement);
  }

  override down(): void {
    for (const table of ['food', 'food_favourite'])
      for (const statement of acceptErasedAccount(table, 'user_id')) this.addSql(statement);
    this.addSql(`alter table "food_log" drop column "food_id", drop column "table_food_id";`);
    this.addSql(`drop table "food_favourite";`);
    this.addSql(`drop table "food";`);
  }
}
