import { Migration } from '@mikro-orm/migrations';

/** The mails that have not been sent yet become jobs. */
export class MailsAreJobs extends Migration {
  override up(): void {
    this.addSql(
      `select graphile_worker.add_job('mail_password_token', json_build_object('mailId', "id"), max_attempts => 13) from "password_reset" where "sent_at" is null;`,
    );
    this.addSql(`drop index "password_reset_unsent";`);
    this.addSql(`alter table "password_reset" drop column "next_attempt_at", drop column "attempts";`);
  }

  override down(): void {
    this.addSql(
      `alter table "password_reset" add column "next_attempt_at" timestamptz not null default now(), add column "attempts" int not null default 0;`,
    );
    this.addSql(`alter table "password_reset" alter column "next_attempt_at" drop default;`);
    this.addSql(
      `create index "password_reset_unsent" on "password_reset" ("next_attempt_at") where "sent_at" is null;`,
    );
  }
}
