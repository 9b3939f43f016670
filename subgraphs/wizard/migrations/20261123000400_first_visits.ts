import { Migration } from '@mikro-orm/migrations';
import { refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

/** A reservation is deleted with its session. The reservation of a first visit gets member, gym and time, so that staff can list it. */
export class FirstVisits extends Migration {
  override up(): void {
    this.addSql(
      `delete from "reservation" where not exists (select 1 from "wizard_session" where "wizard_session"."id" = "reservation"."session_id");`,
    );
    this.addSql(
      `alter table "reservation" add constraint "reservation_session_id_foreign" foreign key ("session_id") references "wizard_session" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "reservation" add "is_firm" boolean not null default false, add "member_id" uuid null, add "gym_id" uuid null, add "starts_at" timestamptz null;`,
    );
    // Members with several first visits keep all of them; only the latest one gets a `member_id`, which is unique.
    this.addSql(
      `update "reservation" set "is_firm" = true, "gym_id" = visit."gym_id", "starts_at" = visit."starts_at", "member_id" = case when visit."latest" = 1 then visit."created_by" end
       from (
         select r."id", s."gym_id", s."created_by", split_part(r."value", '@', 2)::timestamptz as "starts_at",
                row_number() over (partition by s."created_by" order by r."id" desc) as "latest"
         from "reservation" r join "wizard_session" s on s."id" = r."session_id"
         where r."resource" = 'slot' and s."status" = 'DEPLOYED'
       ) as visit
       where visit."id" = "reservation"."id";`,
    );
    this.addSql(
      `create unique index "reservation_one_of_a_member" on "reservation" ("member_id") where "member_id" is not null;`,
    );
    this.addSql(
      `create index "reservation_first_visits" on "reservation" ("gym_id", "starts_at") where "is_firm";`,
    );
    this.addSql(
      `create index "wizard_session_deployed_onboardings" on "wizard_session" ("updated_at") where "kind" = 'MEMBER_ONBOARDING' and "status" = 'DEPLOYED';`,
    );
    this.addSql(
      `create index "wizard_session_deployed_gyms" on "wizard_session" ("id") where "kind" = 'GYM_SETUP' and "status" = 'DEPLOYED';`,
    );
    for (const statement of refuseErasedAccount('reservation', 'member_id', ['insert', 'update']))
      this.addSql(statement);
  }

  override down(): void {
    this.addSql(`drop index "wizard_session_deployed_gyms";`);
    this.addSql(`drop index "wizard_session_deployed_onboardings";`);
    this.addSql(`drop trigger "reservation_member_id_not_erased_by_update" on "reservation";`);
    this.addSql(`drop trigger "reservation_member_id_not_erased" on "reservation";`);
    this.addSql(`drop index "reservation_first_visits";`);
    this.addSql(`drop index "reservation_one_of_a_member";`);
    this.addSql(
      `alter table "reservation" drop column "starts_at", drop column "gym_id", drop column "member_id", drop column "is_firm";`,
    );
    this.addSql(`alter table "reservation" drop constraint "reservation_session_id_foreign";`);
  }
}
