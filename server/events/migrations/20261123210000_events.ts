import { Migration } from '@mikro-orm/migrations';

const COLUMNS = '"id", "type", "gym_id", "subject", "location_id", "people", "occurred_at", "data"';

export class CreateEvents extends Migration {
  override up(): void {
    this.addSql(
      `create table "event_outbox" ("position" bigserial primary key, "id" uuid not null, "type" varchar(64) not null, "gym_id" uuid null, "subject" varchar(128) not null, "location_id" uuid null, "people" uuid[] not null, "occurred_at" timestamptz not null, "data" jsonb not null);`,
    );
    this.addSql(
      `create table "event" ("position" bigserial primary key, "id" uuid not null, "type" varchar(64) not null, "gym_id" uuid null, "subject" varchar(128) not null, "location_id" uuid null, "people" uuid[] not null, "occurred_at" timestamptz not null, "data" jsonb not null, "published_at" timestamptz not null);`,
    );
    this.addSql(`alter table "event" add constraint "event_id_unique" unique ("id");`);
    this.addSql(`create index "event_gym_id_type_position_index" on "event" ("gym_id", "type", "position");`);
    this.addSql(`create index "event_type_position_index" on "event" ("type", "position");`);
    this.addSql(
      `create index "event_occurred" on "event" using brin ("occurred_at") with (pages_per_range = 16);`,
    );
    this.addSql(`create index "event_people" on "event" using gin ("people");`);
    // Moves committed events from the outbox to the feed, and returns their number.
    //
    // A position in the outbox is taken while the subject is locked, so the positions of one subject are in the order of the
    // commits; those of different subjects may become visible in another order. The positions in the feed are taken under
    // the lock of this function, which the transaction keeps until after its commit. So a reader who has seen a position
    // has seen all smaller ones. Each statement of the function has a snapshot of its own, so the move sees everything that
    // was committed before the function got the lock.
    this.addSql(`create function "publish_events"(most int) returns int language plpgsql as $$
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
    returning "position", ${COLUMNS}
  ), published as (
    insert into event (${COLUMNS}, "published_at")
    select ${COLUMNS}, clock_timestamp() from moved order by moved."position"
    on conflict ("id") do nothing
  )
  select count(*), string_agg(distinct coalesce(gym_id::text, '*'), ',') into moved_rows, gyms from moved;
  if moved_rows > 0 then
    -- The payload of a notification has at most 7,999 bytes.
    perform pg_notify('events', case when length(gyms) > 7000 then '*' else gyms end);
  end if;
  return moved_rows;
end $$;`);
  }

  override down(): void {
    this.addSql(`drop function "publish_events"(int);`);
    this.addSql(`drop table "event";`);
    this.addSql(`drop table "event_outbox";`);
  }
}
