import { Migration } from '@mikro-orm/migrations';

/** Indexes to find the lists that name a removed product or routine. */
export class ListedReferences extends Migration {
  override up(): void {
    this.addSql(`create index "gym_product_product_id_index" on "gym_product" ("product_id");`);
    this.addSql(`create index "gym_program_routine_id_index" on "gym_program" ("routine_id");`);
  }

  override down(): void {
    this.addSql(`drop index "gym_product_product_id_index";`);
    this.addSql(`drop index "gym_program_routine_id_index";`);
  }
}
