import { Migration } from '@mikro-orm/migrations';

export class StaffMails extends Migration {
  override up(): void {
    this.addSql(
      `create table "staff_mail" ("id" uuid not null, "subject" varchar(200) not null, "text" text not null, "stored_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "staff_mail_stored_at_index" on "staff_mail" ("stored_at");`);
  }

  override down(): void {
    this.addSql(`drop table "staff_mail";`);
  }
}
