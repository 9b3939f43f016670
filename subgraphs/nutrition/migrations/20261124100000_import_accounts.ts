import { Migration } from '@mikro-orm/migrations';

/** An import reports how many errors it does not list, and the format of its file. The migration's name means accounts of what was imported. */
export class ImportReports extends Migration {
  override up(): void {
    this.addSql(
      `alter table "food_log_import" add column "errors_omitted" int not null default 0, add column "format" jsonb null;`,
    );
  }

  override down(): void {
    this.addSql(`alter table "food_log_import" drop column "errors_omitted", drop column "format";`);
  }
}
