import { Migration } from '@mikro-orm/migrations';

const COLUMNS_BEFORE = '"id", "type", "gym_id", "subject", "location_id", "people", "occurred_at", "data"';
const COLUMNS = `${COLUMNS_BEFORE}, "traceparent"`;

/** As in the migration that created the function, which explains it. */
const publishEvents = (
  columns: string,
) => `create or replace function "publish_events"(most int) returns int language plpgsql as $$
declare
  moved_rows int;
  gyms text;
begin
  if not exists (select 1 from event_outbox) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('publish_events', 0));
  with moved as (
    delete from event_outbox where "position" in (select "position" from event_outbox order by "position" limit most)
    returning "position", ${columns}
  ), published as (
    insert into event (${columns}, "published_at")
    select ${columns}, clock_timestamp() from moved order by moved."position"
    on conflict ("id") do nothing
  )
  select count(*), string_agg(distinct coalesce(gym_id::text, '*'), ',') into moved_rows, gyms from moved;
  if moved_rows > 0 then
    -- The payload of a notification has at most 7,999 bytes.
    perform pg_notify('events', case when length(gyms) > 7000 then '*' else gyms end);
  end if;
  return moved_rows;
end $$;`;

/** Adds the trace context of the request to events. */
export class EventTraces extends Migration {
  override up(): void {
    for (const table of ['event_outbox', 'event'])
      this.addSql(`alter table "${table}" add column "traceparent" varchar(55) null;`);
    this.addSql(publishEvents(COLUMNS));
  }

  override down(): void {
    this.addSql(publishEvents(COLUMNS_BEFORE));
    for (const table of ['event_outbox', 'event'])
      this.addSql(`alter table "${table}" drop column "traceparent";`);
  }
}
