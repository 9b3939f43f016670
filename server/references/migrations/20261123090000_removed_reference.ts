import { Migration } from '@mikro-orm/migrations';

export class CreateRemovedReference extends Migration {
  override up(): void {
    this.addSql(
      `create table "removed_reference" ("type_name" varchar(64) not null, "id" uuid not null, "removed_at" timestamptz not null, primary key ("type_name", "id"));`,
    );
    this.addSql(`create index "removed_reference_removed_at_index" on "removed_reference" ("removed_at");`);
  }

  override down(): void {
    this.addSql(`drop table "removed_reference";`);
  }
}
