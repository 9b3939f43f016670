import { Migration } from '@mikro-orm/migrations';

export class Gym extends Migration {
  override up(): void {
    this.addSql(
      `create table "announcement" ("id" uuid not null, "gym_id" uuid not null, "author_id" uuid not null, "title" varchar(120) not null, "text" text not null, "starts_at" timestamptz not null, "ends_at" timestamptz null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "announcement_gym_id_starts_at_id_index" on "announcement" ("gym_id", "starts_at", "id");`,
    );
    this.addSql(
      `create table "audit_event" ("id" uuid not null, "gym_id" uuid not null, "actor_id" varchar(64) not null, "action" varchar(64) not null, "details" jsonb not null, "at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "audit_event_gym_id_id_index" on "audit_event" ("gym_id", "id");`);
    this.addSql(
      `create table "challenge" ("id" uuid not null, "gym_id" uuid not null, "title" varchar(120) not null, "metric" varchar(16) not null, "goal" int not null, "starts_at" timestamptz not null, "ends_at" timestamptz not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "challenge_gym_id_ends_at_id_index" on "challenge" ("gym_id", "ends_at", "id");`,
    );
    this.addSql(
      `create table "check_in" ("id" uuid not null, "user_id" uuid not null, "gym_id" uuid not null, "location_id" uuid not null, "checked_in_at" timestamptz not null, "expires_at" timestamptz not null, "checked_out_at" timestamptz null, "check_out_kind" varchar(16) null, "method" varchar(16) not null, "source" varchar(32) null, "checked_in_by" uuid not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "check_in_open_by_location" on "check_in" ("location_id", "expires_at") where "checked_out_at" is null;`,
    );
    this.addSql(
      `create index "check_in_open_by_expiry" on "check_in" ("expires_at") where "checked_out_at" is null;`,
    );
    this.addSql(
      `create index "check_in_user_id_checked_in_at_id_index" on "check_in" ("user_id", "checked_in_at", "id");`,
    );
    this.addSql(
      `create index "check_in_location_id_checked_in_at_index" on "check_in" ("location_id", "checked_in_at");`,
    );
    this.addSql(
      `create unique index "check_in_open_by_user" on "check_in" ("user_id") where "checked_out_at" is null;`,
    );
    this.addSql(
      `create table "post_comment" ("id" uuid not null, "post_id" uuid not null, "author_id" uuid not null, "text" text not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "post_comment_post_id_id_index" on "post_comment" ("post_id", "id");`);
    this.addSql(
      `create table "gym_config_draft" ("gym_id" uuid not null, "theme" jsonb not null, "assets" jsonb not null, "features" jsonb not null, "based_on_version" int not null, "updated_at" timestamptz not null, "updated_by" varchar(64) not null, primary key ("gym_id"));`,
    );
    this.addSql(
      `create table "gym_config_version" ("gym_id" uuid not null, "version" int not null, "theme" jsonb not null, "assets" jsonb not null, "features" jsonb not null, "published_by" varchar(64) not null, "published_at" timestamptz not null, primary key ("gym_id", "version"));`,
    );
    this.addSql(
      `create table "check_in_denial" ("id" uuid not null, "location_id" uuid not null, "gym_id" uuid not null, "user_id" uuid null, "reason" varchar(32) not null, "presented_by" uuid not null, "denied_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "check_in_denial_location_id_id_index" on "check_in_denial" ("location_id", "id");`,
    );
    this.addSql(
      `create table "gym" ("id" uuid not null, "slug" varchar(63) not null, "name" varchar(120) not null, "theme" jsonb not null, "assets" jsonb not null, "features" jsonb not null, "version" int not null default 1, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "gym" add constraint "gym_slug_unique" unique ("slug");`);
    this.addSql(
      `create table "gym_product" ("gym_id" uuid not null, "product_id" uuid not null, "position" int not null, "price" int null, "currency" varchar(3) null, "stock" int null, primary key ("gym_id", "product_id"));`,
    );
    this.addSql(
      `create table "gym_program" ("gym_id" uuid not null, "routine_id" uuid not null, "position" int not null, "note" varchar(500) null, primary key ("gym_id", "routine_id"));`,
    );
    this.addSql(
      `create table "post_like" ("post_id" uuid not null, "user_id" uuid not null, "created_at" timestamptz not null, primary key ("post_id", "user_id"));`,
    );
    this.addSql(
      `create index "post_like_post_id_created_at_index" on "post_like" ("post_id", "created_at");`,
    );
    this.addSql(
      `create table "location" ("id" uuid not null, "gym_id" uuid not null, "name" varchar(120) not null, "address" varchar(300) null, "timezone" varchar(64) not null, "capacity" int not null, "max_stay_minutes" int not null default 90, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "location_gym_id_name_id_index" on "location" ("gym_id", "name", "id");`);
    this.addSql(
      `create table "challenge_participant" ("challenge_id" uuid not null, "user_id" uuid not null, "score" int not null default 0, "reached_at" timestamptz not null, "joined_at" timestamptz not null, primary key ("challenge_id", "user_id"));`,
    );
    this.addSql(
      `create index "challenge_participant_ranking" on "challenge_participant" ("challenge_id", (-"score"), "reached_at", "user_id");`,
    );
    this.addSql(
      `create index "challenge_participant_user_id_challenge_id_index" on "challenge_participant" ("user_id", "challenge_id");`,
    );
    this.addSql(
      `create table "post" ("id" uuid not null, "gym_id" uuid not null, "author_id" uuid not null, "text" text not null, "image" varchar(80) null, "like_count" int not null default 0, "comment_count" int not null default 0, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "post_gym_id_id_index" on "post" ("gym_id", "id");`);
    this.addSql(
      `create table "post_report" ("post_id" uuid not null, "reporter_id" uuid not null, "gym_id" uuid not null, "reason" varchar(500) not null, "created_at" timestamptz not null, primary key ("post_id", "reporter_id"));`,
    );
    this.addSql(
      `create index "post_report_gym_id_created_at_index" on "post_report" ("gym_id", "created_at");`,
    );
    this.addSql(
      `create table "challenge_score_count" ("challenge_id" uuid not null, "score" int not null, "participants" int not null, primary key ("challenge_id", "score"));`,
    );

    // Counts the participants with each score, for ranks. The two rows of a change are written in the order of their scores, so
    // that two changes, one up and one down, take the locks in the same order.
    this.addSql(`create function "count_scores"() returns trigger language plpgsql as $$
begin
  insert into challenge_score_count as counted (challenge_id, score, participants)
  select challenge_id, score, sum(change) from (
    select old.challenge_id, old.score, -1 as change where tg_op in ('UPDATE', 'DELETE')
    union all
    select new.challenge_id, new.score, 1 where tg_op in ('INSERT', 'UPDATE')
  ) as changes group by challenge_id, score order by challenge_id, score
  on conflict (challenge_id, score) do update set participants = counted.participants + excluded.participants;
  return null;
end $$;`);
    this.addSql(
      `create trigger "count_scores_of_others" after insert or delete on "challenge_participant" for each row execute function count_scores();`,
    );
    this.addSql(
      `create trigger "count_scores_of_changed" after update of "score" on "challenge_participant" for each row when (old.score is distinct from new.score) execute function count_scores();`,
    );

    // The audit trail is never changed.
    this.addSql(
      `create function "refuse_change"() returns trigger language plpgsql as $$ begin raise exception 'audit events are never changed'; end $$;`,
    );
    this.addSql(
      `create trigger "audit_event_is_final" before update or delete on "audit_event" for each row execute function refuse_change();`,
    );
  }

  override down(): void {
    this.addSql(`drop table if exists "announcement" cascade;`);
    this.addSql(`drop table if exists "audit_event" cascade;`);
    this.addSql(`drop table if exists "challenge" cascade;`);
    this.addSql(`drop table if exists "check_in" cascade;`);
    this.addSql(`drop table if exists "post_comment" cascade;`);
    this.addSql(`drop table if exists "gym_config_draft" cascade;`);
    this.addSql(`drop table if exists "gym_config_version" cascade;`);
    this.addSql(`drop table if exists "check_in_denial" cascade;`);
    this.addSql(`drop table if exists "gym" cascade;`);
    this.addSql(`drop table if exists "gym_product" cascade;`);
    this.addSql(`drop table if exists "gym_program" cascade;`);
    this.addSql(`drop table if exists "post_like" cascade;`);
    this.addSql(`drop table if exists "location" cascade;`);
    this.addSql(`drop table if exists "challenge_participant" cascade;`);
    this.addSql(`drop table if exists "post" cascade;`);
    this.addSql(`drop table if exists "post_report" cascade;`);
    this.addSql(`drop table if exists "challenge_score_count" cascade;`);
    this.addSql(`drop function if exists "count_scores";`);
    this.addSql(`drop function if exists "refuse_change";`);
  }
}
