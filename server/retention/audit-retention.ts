import type { UnitOfWork } from '../unit-of-work.ts';
import { MIN_AUDIT_DAYS } from './retention-settings.ts';
import { RETENTION_BATCH_ROWS, type RetentionRule } from './retention.ts';

/**
 * The SQL condition on which the trigger of the audit trail allows a deletion. The audit trail is append-only: the trigger
 * refuses every change and every other deletion. The function of `createAuditRetention` removes old records: it writes its
 * time limit to a setting of the transaction, and the trigger allows the deletion of rows that are older than both this limit
 * and 30 days. So nobody can delete younger rows by changing the setting.
 */
export const IS_OLD_AUDIT_EVENT = `old."at" < nullif(current_setting('platform.audit_removed_before', true), '')::timestamptz and old."at" < now() - interval '${MIN_AUDIT_DAYS} days'`;

/**
 * SQL for a migration: the function that removes old rows of `audit_event`. Ids are UUIDs of version 7, so the index of the
 * primary key finds the oldest rows.
 */
export const createAuditRetention = `create function "remove_old_audit_events"(before timestamptz, most int) returns int language plpgsql as $$
declare removed int;
begin
  if before > now() - interval '${MIN_AUDIT_DAYS} days' then
    raise exception 'audit events are kept for at least ${MIN_AUDIT_DAYS} days';
  end if;
  perform set_config('platform.audit_removed_before', before::text, true);
  delete from audit_event where id in (
    select id from audit_event
    where id < (lpad(to_hex((extract(epoch from before) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid and "at" < before
    order by id limit most for update skip locked
  );
  get diagnostics removed = row_count;
  perform set_config('platform.audit_removed_before', '', true);
  return removed;
end $$;`;

export const dropAuditRetention = `drop function "remove_old_audit_events"(timestamptz, int);`;

/** The retention rule of every service with an audit trail. */
export const auditRetention: RetentionRule = {
  what: 'audit_events',
  kept: 'retentionAuditDays',
  async run(unit: UnitOfWork, before: Date) {
    const [row] = await unit.em.execute<{ removed: number }[]>(
      'select remove_old_audit_events(?::timestamptz, ?) as removed',
      [before, RETENTION_BATCH_ROWS],
    );
    return row?.removed ?? 0;
  },
};
