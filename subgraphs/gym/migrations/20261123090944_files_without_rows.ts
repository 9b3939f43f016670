import { Migration } from '@mikro-orm/migrations';

export class FilesWithoutRows extends Migration {
  override up(): void {
    this.addSql(`create index "post_image" on "post" ("image") where "image" is not null;`);
  }

  override down(): void {
    this.addSql(`drop index "post_image";`);
  }
}
