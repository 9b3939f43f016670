import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

/** When a user is deleted, rows stay but no longer contain their id. No new row can contain the id of a deleted user. */
export class AccountData extends Migration {
  override up(): void {
    this.addSql(`alter table "announcement" alter column "author_id" drop not null;`);
    this.addSql(`create index "announcement_author_id_id_index" on "announcement" ("author_id", "id");`);
    this.addSql(`create index "audit_event_actor_id_id_index" on "audit_event" ("actor_id", "id");`);
    this.addSql(`create index "audit_event_about" on "audit_event" (("details" ->> 'userId'), "id");`);
    this.addSql(`alter table "check_in" alter column "user_id" drop not null;`);
    this.addSql(`alter table "check_in" alter column "checked_in_by" drop not null;`);
    this.addSql(
      `create index "check_in_by_staff" on "check_in" ("checked_in_by") where "checked_in_by" is distinct from "user_id";`,
    );
    this.addSql(`create index "post_comment_author_id_id_index" on "post_comment" ("author_id", "id");`);
    this.addSql(`alter table "check_in_denial" alter column "presented_by" drop not null;`);
    this.addSql(`create index "check_in_denial_user_id_id_index" on "check_in_denial" ("user_id", "id");`);
    this.addSql(
      `create index "check_in_denial_presented_by_id_index" on "check_in_denial" ("presented_by", "id");`,
    );
    this.addSql(`create index "post_like_user_id_post_id_index" on "post_like" ("user_id", "post_id");`);
    this.addSql(`alter table "post" alter column "author_id" drop not null;`);
    this.addSql(`create index "post_author_id_id_index" on "post" ("author_id", "id");`);
    this.addSql(
      `create index "post_report_reporter_id_post_id_index" on "post_report" ("reporter_id", "post_id");`,
    );
    for (const [table, column] of USER_COLUMNS)
      for (const statement of refuseErasedAccount(table, column)) this.addSql(statement);
  }

  override down(): void {
    for (const [table, column] of USER_COLUMNS)
      for (const statement of acceptErasedAccount(table, column)) this.addSql(statement);
    for (const index of [
      'announcement_author_id_id_index',
      'audit_event_actor_id_id_index',
      'audit_event_about',
      'check_in_by_staff',
      'post_comment_author_id_id_index',
      'check_in_denial_user_id_id_index',
      'check_in_denial_presented_by_id_index',
      'post_like_user_id_post_id_index',
      'post_author_id_id_index',
      'post_report_reporter_id_post_id_index',
    ])
      this.addSql(`drop index "${index}";`);
    // The previous version requires a value: the nil UUID keeps the rows of deleted users, and with them the statistics.
    for (const [table, column] of ANONYMISED_COLUMNS) {
      this.addSql(
        `update "${table}" set "${column}" = '00000000-0000-0000-0000-000000000000' where "${column}" is null;`,
      );
      this.addSql(`alter table "${table}" alter column "${column}" set not null;`);
    }
  }
}

/** Columns that are null once an account is deleted. */
const ANONYMISED_COLUMNS = [
  ['announcement', 'author_id'],
  ['check_in', 'user_id'],
  ['check_in', 'checked_in_by'],
  ['check_in_denial', 'presented_by'],
  ['post', 'author_id'],
] as const;

const USER_COLUMNS = [
  ['announcement', 'author_id'],
  ['challenge_participant', 'user_id'],
  ['check_in', 'user_id'],
  ['check_in', 'checked_in_by'],
  ['check_in_denial', 'user_id'],
  ['check_in_denial', 'presented_by'],
  ['post', 'author_id'],
  ['post_comment', 'author_id'],
  ['post_like', 'user_id'],
  ['post_report', 'reporter_id'],
] as const;
