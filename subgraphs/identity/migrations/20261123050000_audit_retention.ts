import { Migration } from '@mikro-orm/migrations';
import {
  createAuditRetention,
  dropAuditRetention,
  IS_OLD_AUDIT_EVENT,
} from '#server/retention/audit-retention.ts';

export class AuditRetention extends Migration {
  override up(): void {
    this.addSql(createAuditRetention);
    // The statement trigger sees no rows. So it allows a deletion by remove_old_audit_events, which sets a time limit; the row
    // trigger then checks each row.
    this
      .addSql(`create or replace function "audit_event_audit_event_append_only_fn"() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and nullif(current_setting('platform.audit_removed_before', true), '') is not null then
    return null;
  end if;
  raise exception 'audit_event is append-only';
end; $$;`);
    this.addSql(`create function "audit_event_is_old"() returns trigger language plpgsql as $$
begin
  if ${IS_OLD_AUDIT_EVENT} then
    return old;
  end if;
  raise exception 'audit_event is append-only';
end $$;`);
    this.addSql(
      `create trigger "audit_event_old_only" before delete on "audit_event" for each row execute function audit_event_is_old();`,
    );
  }

  override down(): void {
    this.addSql(`drop trigger "audit_event_old_only" on "audit_event";`);
    this.addSql(`drop function "audit_event_is_old";`);
    this.addSql(
      `create or replace function "audit_event_audit_event_append_only_fn"() returns trigger as $$ begin raise exception 'audit_event is append-only'; end; $$ language plpgsql;`,
    );
    this.addSql(dropAuditRetention);
  }
}
