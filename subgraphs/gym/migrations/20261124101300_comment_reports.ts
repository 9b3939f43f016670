import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class CommentReports extends Migration {
  override up(): void {
    this.addSql(
      `create table "comment_report" ("comment_id" uuid not null, "reporter_id" uuid not null, "post_id" uuid not null, "gym_id" uuid not null, "reason" varchar(500) not null, "created_at" timestamptz not null, primary key ("comment_id", "reporter_id"));`,
    );
    this.addSql(
      `create index "comment_report_gym_id_created_at_comment_id_reporter_id_index" on "comment_report" ("gym_id", "created_at", "comment_id", "reporter_id");`,
    );
    this.addSql(`create index "comment_report_post_id_index" on "comment_report" ("post_id");`);
    this.addSql(
      `create index "comment_report_reporter_id_comment_id_index" on "comment_report" ("reporter_id", "comment_id");`,
    );
    this.addSql(
      `alter table "comment_report" add constraint "comment_report_comment_id_foreign" foreign key ("comment_id") references "post_comment" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "comment_report" add constraint "comment_report_post_id_foreign" foreign key ("post_id") references "post" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "comment_report" add constraint "comment_report_gym_id_foreign" foreign key ("gym_id") references "gym" ("id") on delete restrict;`,
    );
    for (const statement of refuseErasedAccount('comment_report', 'reporter_id')) this.addSql(statement);
  }

  override down(): void {
    for (const statement of acceptErasedAccount('comment_report', 'reporter_id')) this.addSql(statement);
    this.addSql(`drop table "comment_report";`);
  }
}
