import { Migration } from '@mikro-orm/migrations';

export class OpeningHours extends Migration {
  override up(): void {
    this.addSql(`alter table "location" add column "opening_hours" jsonb null;`);
  }

  override down(): void {
    this.addSql(`alter table "location" drop column "opening_hours";`);
  }
}
