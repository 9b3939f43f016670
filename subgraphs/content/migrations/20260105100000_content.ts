import { Migration } from '@mikro-orm/migrations';

export class Content extends Migration {
  override up(): void {
    this.addSql(
      `create table "exercise" ("id" uuid not null, "gym_id" uuid null, "name" varchar(120) not null, "aliases" jsonb not null, "description" text null, "primary_muscles" jsonb not null, "secondary_muscles" jsonb not null, "equipment" varchar(40) not null, "level" varchar(20) not null, "force" varchar(20) null, "mechanic" varchar(20) null, "category" varchar(40) not null, "modality" varchar(30) not null, "image" varchar(120) null, "version" int not null default 1, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, "search" tsvector generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(jsonb_to_tsvector('english'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('simple'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "primary_muscles" || "secondary_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "equipment"), 'D')) stored, primary key ("id"));`,
    );
    this.addSql(`create index "exercise_gym_id_index" on "exercise" ("gym_id");`);
    this.addSql(
      `create index "exercise_name" on "exercise" (lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(`create index "exercise_search" on "exercise" using gin ("search");`);
    this.addSql(
      `create index "exercise_muscles" on "exercise" using gin ("primary_muscles" jsonb_path_ops, "secondary_muscles" jsonb_path_ops);`,
    );

    this.addSql(
      `create table "workout_routine" ("id" uuid not null, "gym_id" uuid null, "title" varchar(120) not null, "description" text null, "difficulty" varchar(20) not null, "category" varchar(40) not null, "target_muscles" jsonb not null, "equipment" jsonb not null, "exercises" jsonb not null, "duration_minutes" int not null, "image" varchar(120) null, "version" int not null default 1, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, "search" tsvector generated always as (setweight(to_tsvector('english'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "target_muscles", '["string"]'), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored, primary key ("id"));`,
    );
    this.addSql(`create index "workout_routine_gym_id_index" on "workout_routine" ("gym_id");`);
    this.addSql(
      `create index "workout_routine_title" on "workout_routine" (lower("title"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "workout_routine_category" on "workout_routine" (lower("category"), lower("title"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "workout_routine_newest" on "workout_routine" ("created_at", "id") where "deleted_at" is null;`,
    );
    this.addSql(`create index "workout_routine_search" on "workout_routine" using gin ("search");`);
    this.addSql(
      `create index "workout_routine_muscles" on "workout_routine" using gin ("target_muscles" jsonb_path_ops);`,
    );

    this.addSql(
      `create table "workout_routine_version" ("routine_id" uuid not null, "version" int not null, "content" jsonb not null, "created_at" timestamptz not null, primary key ("routine_id", "version"));`,
    );

    this.addSql(
      `create table "product" ("id" uuid not null, "gym_id" uuid null, "sku" varchar(64) not null, "name" varchar(120) not null, "description" text null, "kind" varchar(20) not null, "price" int not null, "currency" varchar(3) not null, "images" jsonb not null, "variants" jsonb not null, "stock" int null, "featured_priority" int null, "featured_from" timestamptz null, "featured_until" timestamptz null, "version" int not null default 1, "created_at" timestamptz not null, "updated_at" timestamptz not null, "deleted_at" timestamptz null, "search" tsvector generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "sku"), 'B') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored, primary key ("id"));`,
    );
    this.addSql(`create index "product_gym_id_index" on "product" ("gym_id");`);
    this.addSql(`create index "product_name" on "product" (lower("name"), "id") where "deleted_at" is null;`);
    this.addSql(`create index "product_price" on "product" ("price", "id") where "deleted_at" is null;`);
    this.addSql(
      `create index "product_featured" on "product" ("featured_priority", "id") where "featured_priority" is not null and "deleted_at" is null;`,
    );
    this.addSql(`create index "product_search" on "product" using gin ("search");`);
    this.addSql(
      `create unique index "product_sku" on "product" (coalesce("gym_id", '00000000-0000-0000-0000-000000000000'::uuid), lower("sku")) where "deleted_at" is null;`,
    );
  }

  override down(): void {
    for (const table of ['product', 'workout_routine_version', 'workout_routine', 'exercise'])
      this.addSql(`drop table "${table}";`);
  }
}
