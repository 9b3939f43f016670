import { Migration } from '@mikro-orm/migrations';

export class GoalVersions extends Migration {
  override up(): void {
    this.addSql(`alter table "nutrition_goal" add column "version" int not null default 1;`);
    this.addSql(`create index "food_log_import_started_at_index" on "food_log_import" ("started_at");`);
  }

  override down(): void {
    this.addSql(`drop index "food_log_import_started_at_index";`);
    this.addSql(`alter table "nutrition_goal" drop column "version";`);
  }
}
