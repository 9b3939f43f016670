import { Migration } from '@mikro-orm/migrations';

export class RefuseErasedAccountRows extends Migration {
  override up(): void {
    // The same as refuse_erased_account, for a trigger on each row: an update is checked only if it changes the column.
    this.addSql(`create function "refuse_erased_account_row"() returns trigger language plpgsql as $$
declare account uuid := to_jsonb(new) ->> tg_argv[0];
begin
  perform pg_advisory_xact_lock_shared(hashtext('erased_account'), account_lock(account));
  if exists (select 1 from erased_account where user_id = account) then
    raise exception 'the account % has been erased', account using errcode = 'PF001';
  end if;
  return null;
end $$;`);
  }

  override down(): void {
    this.addSql(`drop function "refuse_erased_account_row" cascade;`);
  }
}
