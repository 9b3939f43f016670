import { Migration } from '@mikro-orm/migrations';

export class ApiClients extends Migration {
  override up(): void {
    this.addSql(
      `create table "api_client" ("id" uuid not null, "gym_id" uuid not null, "name" varchar(100) not null, "scopes" text[] not null, "location_id" uuid null, "created_at" timestamptz not null, "last_used_at" timestamptz null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "api_client_gym_id_id_index" on "api_client" ("gym_id", "id");`);
    this.addSql(
      `create table "api_client_secret" ("hash" varchar(43) not null, "client_id" uuid not null, "valid_until" timestamptz null, primary key ("hash"));`,
    );
    this.addSql(`create index "api_client_secret_client_id_index" on "api_client_secret" ("client_id");`);
    this.addSql(`create index "api_client_secret_valid_until_index" on "api_client_secret" ("valid_until");`);
    this.addSql(
      `alter table "api_client_secret" add constraint "api_client_secret_client_id_foreign" foreign key ("client_id") references "api_client" ("id") on delete cascade;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "api_client_secret";`);
    this.addSql(`drop table "api_client";`);
  }
}
