import { Migration } from '@mikro-orm/migrations';

/** Finds the lists that name a product or routine that is gone. */
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
