import { Migration } from '@mikro-orm/migrations';

export class CreateErasedAccount extends Migration {
  override up(): void {
    this.addSql(
      `create table "erased_account" ("user_id" uuid not null, "erased_at" timestamptz not null, "outcome" varchar(16) null, "reason" text null, primary key ("user_id"));`,
    );
    // Of a trigger after a statement, with the rows of that statement as "added" and the name of their column as its
    // argument. The lock makes it exact: either the erasure waits for this transaction's commit and finds its rows, or
    // this waits for the erasure and finds its mark.
    this.addSql(`create function "refuse_erased_account"() returns trigger language plpgsql as $$
declare account uuid;
begin
  for account in execute format('select distinct %1$I from added where %1$I is not null order by 1', tg_argv[0]) loop
    perform pg_advisory_xact_lock_shared(hashtextextended('account:' || account, 0));
    if exists (select 1 from erased_account where user_id = account) then
      raise exception 'the account % has been erased', account using errcode = 'PF001';
    end if;
  end loop;
  return null;
end $$;`);
  }

  override down(): void {
    this.addSql(`drop function "refuse_erased_account" cascade;`);
    this.addSql(`drop table "erased_account";`);
  }
}
