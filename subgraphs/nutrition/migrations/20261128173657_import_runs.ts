import { Migration } from '@mikro-orm/migrations';

export class ImportRuns extends Migration {
  override up(): void {
    this.addSql(
      `alter table "food_log_import" add "run_id" uuid null, add "renewed_at" timestamptz not null default now();`,
    );
    this.addSql(
      `create index "food_log_import_running" on "food_log_import" ("renewed_at") where "status" = 'RUNNING';`,
    );
  }

  override down(): void {
    this.addSql(`drop index "food_log_import_running";`);
    this.addSql(`alter table "food_log_import" drop column "run_id", drop column "renewed_at";`);
  }
}
