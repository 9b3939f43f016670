import { Migration } from '@mikro-orm/migrations';

export class NextWorkout extends Migration {
  override up(): void {
    this.addSql(`create index "training_of_routine" on "training" ("user_id", "routine_id", "started_at");`);
  }

  override down(): void {
    this.addSql(`drop index "training_of_routine";`);
  }
}
