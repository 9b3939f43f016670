import { Migration } from '@mikro-orm/migrations';

export class GoalChanges extends Migration {
  override up(): void {
    this.addSql(`alter table "nutrition_goal" add "change_id" uuid null, add "replaced" jsonb null;`);
    this.addSql(
      `create unique index "nutrition_goal_change" on "nutrition_goal" ("change_id") where "change_id" is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index "nutrition_goal_change";`);
    this.addSql(`alter table "nutrition_goal" drop column "change_id", drop column "replaced";`);
  }
}
