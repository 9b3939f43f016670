import { Migration } from '@mikro-orm/migrations';

export class WebhookJobs extends Migration {
  override up(): void {
    // The mails that have not been sent yet become a job.
    this.addSql(
      `select graphile_worker.add_job('mail_disabled_webhooks', '{}', job_key => 'mail_disabled_webhooks due', max_attempts => 9) where exists (select 1 from "webhook" where "mail_due_at" is not null);`,
    );
    this.addSql(
      `create index "webhook_mail_due" on "webhook" ("mail_due_at") where "mail_due_at" is not null;`,
    );
    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at", "position") where "status" = 'PENDING';`,
    );
  }

  override down(): void {
    this.addSql(`drop index "webhook_delivery_due";`);
    this.addSql(
      `create index "webhook_delivery_due" on "webhook_delivery" ("webhook_id", "next_attempt_at") where "status" = 'PENDING';`,
    );
    this.addSql(`drop index "webhook_mail_due";`);
  }
}
