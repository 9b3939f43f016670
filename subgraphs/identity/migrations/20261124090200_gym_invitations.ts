import { Migration } from '@mikro-orm/migrations';

export class GymInvitations extends Migration {
  override up(): void {
    this.addSql(
      `create table "gym_invitation" ("id" uuid not null, "user_id" uuid not null, "gym_id" uuid not null, "display_name" varchar(80) not null, "created_at" timestamptz not null, "requested_at" timestamptz not null, "sent_at" timestamptz null, "expires_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "gym_invitation" add constraint "gym_invitation_user_id_gym_id_unique" unique ("user_id", "gym_id");`,
    );
    this.addSql(`create index "gym_invitation_gym_id_id_index" on "gym_invitation" ("gym_id", "id");`);
    this.addSql(`create index "gym_invitation_requested_at_index" on "gym_invitation" ("requested_at");`);
    this.addSql(
      `alter table "gym_invitation" add constraint "gym_invitation_user_id_foreign" foreign key ("user_id") references "user_account" ("id") on delete cascade;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "gym_invitation";`);
  }
}
