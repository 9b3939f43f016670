import { Migration } from '@mikro-orm/migrations';

export class RelationsAndIndexes extends Migration {
  override up(): void {
    this.addSql(
      `delete from "workout_routine_version" where not exists (select 1 from "workout_routine" where "id" = "routine_id");`,
    );
    this.addSql(
      `alter table "workout_routine_version" add constraint "workout_routine_version_routine_id_foreign" foreign key ("routine_id") references "workout_routine" ("id") on delete cascade;`,
    );
    // Every filter and every order of a list has an index of its own, also for a value that hardly any row has.
    this.addSql(
      `create index "exercise_newest" on "exercise" ("created_at", "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "exercise_equipment" on "exercise" ("equipment", lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "exercise_category" on "exercise" ("category", lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "exercise_modality" on "exercise" ("modality", lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "exercise_level" on "exercise" (lower("level"), lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "workout_routine_duration" on "workout_routine" ("duration_minutes", "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "workout_routine_difficulty" on "workout_routine" (lower("difficulty"), lower("title"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "product_newest" on "product" ("created_at", "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "product_kind" on "product" ("kind", lower("name"), "id") where "deleted_at" is null;`,
    );
    this.addSql(
      `create index "workout_routine_equipment" on "workout_routine" using gin ("equipment" jsonb_path_ops);`,
    );
    this.addSql(
      `create index "workout_routine_exercises" on "workout_routine" using gin ("exercises" jsonb_path_ops);`,
    );
  }

  override down(): void {
    for (const index of [
      'exercise_newest',
      'exercise_equipment',
      'exercise_category',
      'exercise_modality',
      'exercise_level',
      'workout_routine_duration',
      'workout_routine_difficulty',
      'product_newest',
      'product_kind',
      'workout_routine_equipment',
      'workout_routine_exercises',
    ])
      this.addSql(`drop index "${index}";`);
    this.addSql(
      `alter table "workout_routine_version" drop constraint "workout_routine_version_routine_id_foreign";`,
    );
  }
}
