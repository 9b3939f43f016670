import { Migration } from '@mikro-orm/migrations';

export class AuditIsAppendOnly extends Migration {
  override up(): void {
    this.addSql(
      `create or replace function "audit_event_audit_event_append_only_fn"() returns trigger as $$ begin raise exception 'audit_event is append-only'; end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_event_append_only" before update or delete on "audit_event" for each statement execute function "audit_event_audit_event_append_only_fn"();`,
    );
    this.addSql(
      `create trigger "audit_event_no_truncate" before truncate on "audit_event" for each statement execute function "audit_event_audit_event_append_only_fn"();`,
    );
  }

  override down(): void {
    this.addSql(`drop trigger if exists "audit_event_no_truncate" on "audit_event";`);
    this.addSql(`drop trigger if exists "audit_event_append_only" on "audit_event";`);
    this.addSql(`drop function if exists "audit_event_audit_event_append_only_fn"();`);
  }
}
