import { Migration } from '@mikro-orm/migrations';

export class ReservationsAndFiles extends Migration {
  override up(): void {
    this.addSql(
      `create table "reservation" ("id" uuid not null, "resource" varchar(16) not null, "value" varchar(300) not null, "place" int not null, "session_id" uuid not null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "reservation_expires_at_index" on "reservation" ("expires_at");`);
    this.addSql(
      `alter table "reservation" add constraint "reservation_resource_value_place_unique" unique ("resource", "value", "place");`,
    );
    this.addSql(
      `alter table "reservation" add constraint "reservation_session_id_resource_unique" unique ("session_id", "resource");`,
    );
    this.addSql(`alter table "wizard_session" add "files" jsonb not null default '[]';`);
    this.addSql(`create index "wizard_session_expires_at_index" on "wizard_session" ("expires_at");`);
  }

  override down(): void {
    this.addSql(`drop index "wizard_session_expires_at_index";`);
    this.addSql(`alter table "wizard_session" drop column "files";`);
    this.addSql(`drop table if exists "reservation" cascade;`);
  }
}
