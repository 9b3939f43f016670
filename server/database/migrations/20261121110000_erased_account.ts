import { Migration } from '@mikro-orm/migrations';

export class CreateErasedAccount extends Migration {
  override up(): void {
    this.addSql(
      `create table "erased_account" ("user_id" uuid not null, "erased_at" timestamptz not null, "outcome" varchar(16) null, "reason" text null, primary key ("user_id"));`,
    );
    // The function of a trigger that runs after a statement. "added" contains the rows of that statement; the argument is
    // the name of the column with the account's id. The lock leaves no gap: either the erasure waits for this transaction's
    // commit and finds its rows, or this statement waits until the account is marked, and finds the mark. All accounts
    // share 256 locks, so that a statement may name any number of accounts.
    this.addSql(`create function "account_lock"(account uuid) returns int language sql immutable as $$
  select hashtext(account::text) & 255
$$;`);
    this.addSql(`create function "refuse_erased_account"() returns trigger language plpgsql as $$
declare erased uuid;
begin
  execute format(
    'select pg_advisory_xact_lock_shared(hashtext(''erased_account''), lock)
     from (select distinct account_lock(%1$I) as lock from added where %1$I is not null order by 1) as locks', tg_argv[0]);
  execute format('select erased_account.user_id from erased_account join added on added.%1$I = erased_account.user_id limit 1', tg_argv[0]) into erased;
  if erased is not null then
    raise exception 'the account % has been erased', erased using errcode = 'PF001';
  end if;
  return null;
end $$;`);
  }

  override down(): void {
    this.addSql(`drop function "refuse_erased_account" cascade;`);
    this.addSql(`drop function "account_lock";`);
    this.addSql(`drop table "erased_account";`);
  }
}
