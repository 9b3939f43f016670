import { Migration } from '@mikro-orm/migrations';

export class Memberships extends Migration {
  override up(): void {
    this.addSql(`create extension if not exists pg_trgm;`);
    this.addSql(
      `alter table "user_account" add "membership_gym_id" uuid null, add "membership_status" varchar(8) null, add "membership_since" timestamptz null, add "membership_until" timestamptz null, add "membership_reason" varchar(500) null, add "membership_awaits" varchar(8) null, add "email_verified_at" timestamptz null, add "suspended_at" timestamptz null, add "suspension_reason" varchar(500) null;`,
    );
    this.addSql(
      `update "user_account" set "membership_gym_id" = "gym_id", "membership_status" = 'ACTIVE', "membership_since" = "created_at" where "gym_id" is not null;`,
    );
    this.addSql(
      `alter table "user_account" add constraint "user_account_membership_check" check (("membership_gym_id" is null and "membership_status" is null and "membership_since" is null and "gym_id" is null) or ("membership_gym_id" is not null and "membership_since" is not null and "membership_status" is not null and (("gym_id" is not null and "gym_id" = "membership_gym_id" and ("membership_status" = 'ACTIVE' or "membership_status" = 'FROZEN')) or ("gym_id" is null and ("membership_status" = 'PENDING' or "membership_status" = 'ENDED')))));`,
    );
    this.addSql(
      `create index "user_account_membership_gym_id_id_index" on "user_account" ("membership_gym_id", "id");`,
    );
    this.addSql(
      `create index "user_account_membership_gym_id_membership_status_id_index" on "user_account" ("membership_gym_id", "membership_status", "id");`,
    );
    this.addSql(
      `create index "user_account_not_active" on "user_account" ("membership_status", "id") where "membership_status" <> 'ACTIVE';`,
    );
    this.addSql(
      String.raw`create index "user_account_search" on "user_account" using gin ((lower(regexp_replace(normalize((display_name || ' ' || email)::text, nfkd), '[\u0300-\u036f]', '', 'g'))) gin_trgm_ops);`,
    );
    this.addSql(
      `create table "email_verification" ("id" uuid not null, "user_id" uuid not null, "requested_at" timestamptz not null, "sent_at" timestamptz null, "token_hash" varchar(43) null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "email_verification" add constraint "email_verification_token_hash_unique" unique ("token_hash");`,
    );
    this.addSql(
      `create index "email_verification_user_id_requested_at_index" on "email_verification" ("user_id", "requested_at");`,
    );
    this.addSql(
      `create index "email_verification_requested_at_index" on "email_verification" ("requested_at");`,
    );
    this.addSql(
      `alter table "email_verification" add constraint "email_verification_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "email_verification";`);
    this.addSql(`drop index "user_account_search";`);
    this.addSql(`alter table "user_account" drop constraint "user_account_membership_check";`);
    this.addSql(
      `alter table "user_account" drop column "membership_gym_id", drop column "membership_status", drop column "membership_since", drop column "membership_until", drop column "membership_reason", drop column "membership_awaits", drop column "email_verified_at", drop column "suspended_at", drop column "suspension_reason";`,
    );
    this.addSql(`drop extension pg_trgm;`);
  }
}
