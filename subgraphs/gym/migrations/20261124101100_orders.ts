import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class Orders extends Migration {
  override up(): void {
    this.addSql(
      `create table "gym_product_list" ("gym_id" uuid not null, "version" int not null, primary key ("gym_id"));`,
    );
    this.addSql(
      `alter table "gym_product_list" add constraint "gym_product_list_gym_id_foreign" foreign key ("gym_id") references "gym" ("id") on delete cascade;`,
    );
    this.addSql(
      `create index "gym_product_stock" on "gym_product" ("gym_id", "stock", "product_id") where "stock" is not null;`,
    );
    this.addSql(
      `alter table "gym_product" add constraint "gym_product_stock_not_negative" check ("stock" >= 0);`,
    );
    this.addSql(
      `create table "stock_movement" ("id" uuid not null, "gym_id" uuid not null, "product_id" uuid not null, "kind" varchar(16) not null, "delta" int not null, "stock" int not null, "reason" varchar(200) not null, "order_id" uuid null, "actor_id" uuid null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "stock_movement_gym_id_product_id_id_index" on "stock_movement" ("gym_id", "product_id", "id");`,
    );
    this.addSql(`create index "stock_movement_actor_id_id_index" on "stock_movement" ("actor_id", "id");`);
    this.addSql(
      `alter table "stock_movement" add constraint "stock_movement_gym_id_foreign" foreign key ("gym_id") references "gym" ("id") on delete cascade;`,
    );
    // The movements of a product add up to its stock, so a stock that was counted before needs a first movement.
    this.addSql(
      `insert into "stock_movement" ("id", "gym_id", "product_id", "kind", "delta", "stock", "reason", "created_at")
       select gen_random_uuid(), gym_id, product_id, 'RECEIVED', stock, stock, 'The stock when movements began to be recorded.', now()
       from gym_product where stock > 0;`,
    );
    this.addSql(
      `create table "shop_order" ("id" uuid not null, "gym_id" uuid not null, "user_id" uuid null, "status" varchar(16) not null, "cancel_reason" varchar(32) null, "total" int not null, "currency" varchar(3) not null, "created_at" timestamptz not null, "expires_at" timestamptz not null, "ready_at" timestamptz null, "collected_at" timestamptz null, "cancelled_at" timestamptz null, "version" int not null default 1, primary key ("id"));`,
    );
    this.addSql(`create index "shop_order_gym_id_id_index" on "shop_order" ("gym_id", "id");`);
    this.addSql(
      `create index "shop_order_gym_id_status_id_index" on "shop_order" ("gym_id", "status", "id");`,
    );
    this.addSql(`create index "shop_order_user_id_id_index" on "shop_order" ("user_id", "id");`);
    this.addSql(
      `create index "shop_order_open" on "shop_order" ("expires_at") where "status" in ('PLACED', 'READY');`,
    );
    this.addSql(
      `alter table "shop_order" add constraint "shop_order_gym_id_foreign" foreign key ("gym_id") references "gym" ("id") on delete restrict;`,
    );
    this.addSql(
      `create table "shop_order_item" ("order_id" uuid not null, "product_id" uuid not null, "position" int not null, "name" varchar(120) not null, "quantity" int not null, "price" int not null, "from_stock" boolean not null, primary key ("order_id", "product_id"));`,
    );
    this.addSql(
      `alter table "shop_order_item" add constraint "shop_order_item_order_id_foreign" foreign key ("order_id") references "shop_order" ("id") on delete cascade;`,
    );
    for (const [table, column] of USER_COLUMNS)
      for (const statement of refuseErasedAccount(table, column)) this.addSql(statement);
  }

  override down(): void {
    for (const [table, column] of USER_COLUMNS)
      for (const statement of acceptErasedAccount(table, column)) this.addSql(statement);
    this.addSql(`drop table "shop_order_item";`);
    this.addSql(`drop table "shop_order";`);
    this.addSql(`drop table "stock_movement";`);
    this.addSql(`alter table "gym_product" drop constraint "gym_product_stock_not_negative";`);
    this.addSql(`drop index "gym_product_stock";`);
    this.addSql(`drop table "gym_product_list";`);
  }
}

const USER_COLUMNS = [
  ['shop_order', 'user_id'],
  ['stock_movement', 'actor_id'],
] as const;
