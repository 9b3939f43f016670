import { Migration } from '@mikro-orm/migrations';

/** Indexes for gyms by name, and for reports in the order of their list. */
export class ListIndexes extends Migration {
  override up(): void {
    this.addSql(`create index "gym_by_name" on "gym" (lower("name"));`);
    this.addSql(
      `create index "post_report_gym_id_created_at_post_id_reporter_id_index" on "post_report" ("gym_id", "created_at", "post_id", "reporter_id");`,
    );
    this.addSql(`drop index "post_report_gym_id_created_at_index";`);
  }

  override down(): void {
    this.addSql(
      `create index "post_report_gym_id_created_at_index" on "post_report" ("gym_id", "created_at");`,
    );
    this.addSql(`drop index "post_report_gym_id_created_at_post_id_reporter_id_index";`);
    this.addSql(`drop index "gym_by_name";`);
  }
}
