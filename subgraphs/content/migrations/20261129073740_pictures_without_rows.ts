import { Migration } from '@mikro-orm/migrations';

export class PicturesWithoutRows extends Migration {
  override up(): void {
    this.addSql(`create index "exercise_image" on "exercise" ("image") where "image" is not null;`);
    this.addSql(`create index "product_images" on "product" using gin ("images" jsonb_path_ops);`);
    this.addSql(
      `create index "workout_routine_image" on "workout_routine" ("image") where "image" is not null;`,
    );
    this.addSql(
      `create index "workout_routine_version_image" on "workout_routine_version" (("content"->>'image')) where ("content"->>'image') is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index "exercise_image";`);
    this.addSql(`drop index "product_images";`);
    this.addSql(`drop index "workout_routine_image";`);
    this.addSql(`drop index "workout_routine_version_image";`);
  }
}
