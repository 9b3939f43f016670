import { Migration } from '@mikro-orm/migrations';

/** The name of a product that exists already stays; the next request of its barcode adds its names by language. */
export class ProductNames extends Migration {
  override up(): void {
    this.addSql(`alter table "food" add "names" jsonb null;`);
  }

  override down(): void {
    this.addSql(`alter table "food" drop column "names";`);
  }
}
