import { Migration } from '@mikro-orm/migrations';

export class WebhookMailFailures extends Migration {
  override up(): void {
    this.addSql(`alter table "webhook" add "mail_failures" int not null default 0;`);
  }

  override down(): void {
    this.addSql(`alter table "webhook" drop column "mail_failures";`);
  }
}
