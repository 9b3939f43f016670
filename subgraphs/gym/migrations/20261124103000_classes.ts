import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class Classes extends Migration {
  override up(): void {
    this.addSql(
      `create table "gym_class" ("id" uuid not null, "gym_id" uuid not null, "location_id" uuid not null, "title" varchar(120) not null, "description" varchar(2000) null, "duration_minutes" int not null, "capacity" int not null, "instructor" varchar(120) null, "cancel_before_minutes" int not null default 120, "starts_at" varchar(16) null, "rrule" varchar(500) null, "following" jsonb not null, "made_until" timestamptz not null, "is_first_visit" boolean not null default false, "active" boolean not null default true, "version" int not null default 1, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "gym_class_gym_id_title_id_index" on "gym_class" ("gym_id", "title", "id");`);
    this.addSql(`create index "gym_class_location_id_index" on "gym_class" ("location_id");`);
    this.addSql(
      `create index "gym_class_made_until" on "gym_class" ("made_until") where "active" and "starts_at" is not null;`,
    );
    this.addSql(
      `create unique index "gym_class_first_visit" on "gym_class" ("location_id") where "is_first_visit";`,
    );
    this.addSql(
      `create table "class_session" ("id" uuid not null, "class_id" uuid not null, "gym_id" uuid not null, "location_id" uuid not null, "occurrence" varchar(16) null, "starts_at" timestamptz not null, "ends_at" timestamptz not null, "capacity" int not null, "instructor" varchar(120) null, "status" varchar(16) not null default 'SCHEDULED', "booked" int not null default 0, "waiting" int not null default 0, "last_number" int not null default 0, "edited" boolean not null default false, "version" int not null default 1, "changed_at" timestamptz not null, primary key ("id"), constraint class_session_places check ("booked" >= 0 and "booked" <= "capacity"), constraint class_session_waiting check ("waiting" >= 0));`,
    );
    this.addSql(
      `create index "class_session_gym_id_starts_at_id_index" on "class_session" ("gym_id", "starts_at", "id");`,
    );
    this.addSql(
      `create index "class_session_location_id_starts_at_id_index" on "class_session" ("location_id", "starts_at", "id");`,
    );
    this.addSql(
      `create index "class_session_class_id_starts_at_id_index" on "class_session" ("class_id", "starts_at", "id");`,
    );
    this.addSql(
      `create index "class_session_location_id_changed_at_index" on "class_session" ("location_id", "changed_at");`,
    );
    this.addSql(
      `create index "class_session_scheduled_by_start" on "class_session" ("starts_at") where "status" = 'SCHEDULED';`,
    );
    this.addSql(
      `create index "class_session_scheduled_by_end" on "class_session" ("ends_at") where "status" = 'SCHEDULED';`,
    );
    this.addSql(
      `alter table "class_session" add constraint "class_session_class_id_occurrence_unique" unique ("class_id", "occurrence");`,
    );
    this.addSql(
      `create table "booking" ("id" uuid not null, "session_id" uuid not null, "gym_id" uuid not null, "user_id" uuid null, "status" varchar(16) not null, "has_place" boolean not null, "number" int not null, "starts_at" timestamptz not null, "booked_at" timestamptz not null, "promoted_at" timestamptz null, "cancelled_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "booking_session_id_number_index" on "booking" ("session_id", "number");`);
    this.addSql(
      `create index "booking_user_id_starts_at_id_index" on "booking" ("user_id", "starts_at", "id");`,
    );
    this.addSql(`create index "booking_gym_id_index" on "booking" ("gym_id");`);
    this.addSql(
      `create index "booking_waiting" on "booking" ("session_id", "number") where "status" = 'WAITING';`,
    );
    this.addSql(
      `create index "booking_booked_by_user" on "booking" ("user_id", "starts_at") where "status" = 'BOOKED';`,
    );
    this.addSql(
      `create unique index "booking_open" on "booking" ("session_id", "user_id") where "has_place" or "status" = 'WAITING';`,
    );
    this.addSql(
      `create table "calendar_feed" ("user_id" uuid not null, "gym_id" uuid not null, "token" varchar(64) not null, "created_at" timestamptz not null, primary key ("user_id"));`,
    );
    this.addSql(`create index "calendar_feed_gym_id_index" on "calendar_feed" ("gym_id");`);
    this.addSql(`alter table "calendar_feed" add constraint "calendar_feed_token_unique" unique ("token");`);
    for (const [table, column, parent] of RELATIONS)
      this.addSql(
        `alter table "${table}" add constraint "${table}_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") on delete cascade;`,
      );
    for (const table of ['booking', 'calendar_feed'])
      for (const statement of refuseErasedAccount(table, 'user_id')) this.addSql(statement);
    // Each location has a class of first visits.
    this.addSql(
      `insert into gym_class (id, gym_id, location_id, title, duration_minutes, capacity, following, made_until, is_first_visit, created_at)
       select gen_random_uuid(), gym_id, id, 'First visit', 30, capacity, '[]', now(), true, now() from location;`,
    );
  }

  override down(): void {
    for (const table of ['booking', 'calendar_feed'])
      for (const statement of acceptErasedAccount(table, 'user_id')) this.addSql(statement);
    for (const table of ['calendar_feed', 'booking', 'class_session', 'gym_class'])
      this.addSql(`drop table "${table}";`);
  }
}

const RELATIONS = [
  ['gym_class', 'gym_id', 'gym'],
  ['gym_class', 'location_id', 'location'],
  ['class_session', 'class_id', 'gym_class'],
  ['class_session', 'gym_id', 'gym'],
  ['class_session', 'location_id', 'location'],
  ['booking', 'session_id', 'class_session'],
  ['booking', 'gym_id', 'gym'],
  ['calendar_feed', 'gym_id', 'gym'],
] as const;
