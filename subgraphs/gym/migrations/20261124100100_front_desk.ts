import { Migration } from '@mikro-orm/migrations';

export class FrontDesk extends Migration {
  override up(): void {
    this.addSql(
      `alter table "location" add column "opening_exceptions" jsonb not null default '[]', add column "qr_policy" varchar(16) not null default 'ANY', add column "closed_at" timestamptz null;`,
    );
    // A day had one interval, and now has a list of them.
    this.addSql(
      `update "location" set "opening_hours" = (
         select coalesce(jsonb_object_agg("key", case jsonb_typeof("value") when 'object' then jsonb_build_array("value") else "value" end), '{}')
         from jsonb_each("opening_hours")
       ) where "opening_hours" is not null;`,
    );
    this.addSql(
      `create index "check_in_location_id_checked_in_at_id_index" on "check_in" ("location_id", "checked_in_at", "id");`,
    );
    this.addSql(`drop index "check_in_location_id_checked_in_at_index";`);
    this.addSql(
      `create index "audit_event_gym_id_action_id_index" on "audit_event" ("gym_id", "action", "id");`,
    );
  }

  override down(): void {
    this.addSql(`drop index "audit_event_gym_id_action_id_index";`);
    this.addSql(
      `create index "check_in_location_id_checked_in_at_index" on "check_in" ("location_id", "checked_in_at");`,
    );
    this.addSql(`drop index "check_in_location_id_checked_in_at_id_index";`);
    this.addSql(
      `update "location" set "opening_hours" = (
         select coalesce(jsonb_object_agg("key", case jsonb_typeof("value") when 'array' then "value" -> 0 else "value" end), '{}')
         from jsonb_each("opening_hours") where "value" <> '[]'
       ) where "opening_hours" is not null;`,
    );
    this.addSql(
      `alter table "location" drop column "closed_at", drop column "qr_policy", drop column "opening_exceptions";`,
    );
  }
}
