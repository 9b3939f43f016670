import { Migration } from '@mikro-orm/migrations';
import {
  createAuditRetention,
  dropAuditRetention,
  IS_OLD_AUDIT_EVENT,
} from '#server/retention/audit-retention.ts';

export class Retention extends Migration {
  override up(): void {
    this.addSql(`alter table "check_in_denial" add column "count" int not null default 1;`);
    this.addSql(createAuditRetention);
    this.addSql(`create or replace function "refuse_change"() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and ${IS_OLD_AUDIT_EVENT} then
    return old;
  end if;
  raise exception 'audit events are never changed';
end $$;`);
  }

  override down(): void {
    this.addSql(
      `create or replace function "refuse_change"() returns trigger language plpgsql as $$ begin raise exception 'audit events are never changed'; end $$;`,
    );
    this.addSql(dropAuditRetention);
    this.addSql(`alter table "check_in_denial" drop column "count";`);
  }
}
