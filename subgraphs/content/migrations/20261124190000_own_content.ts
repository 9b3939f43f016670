import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

const OWNED = ['exercise', 'workout_routine'];

export class OwnContent extends Migration {
  override up(): void {
    for (const table of OWNED) {
      this.addSql(
        `alter table "${table}" add column "owner_id" uuid null, add column "is_private" boolean not null default false;`,
      );
      this.addSql(
        `alter table "${table}" add constraint "${table}_private" check (not "is_private" or ("owner_id" is not null and "gym_id" is null));`,
      );
      this.addSql(`create index "${table}_owner_id_index" on "${table}" ("owner_id");`);
      for (const statement of refuseErasedAccount(table, 'owner_id')) this.addSql(statement);
    }
    this.addSql(
      `create table "workout_favourite" ("user_id" uuid not null, "routine_id" uuid not null, "created_at" timestamptz not null, primary key ("user_id", "routine_id"));`,
    );
    this.addSql(
      `alter table "workout_favourite" add constraint "workout_favourite_routine_id_foreign" foreign key ("routine_id") references "workout_routine" ("id") on delete cascade;`,
    );
    this.addSql(`create index "workout_favourite_routine_id_index" on "workout_favourite" ("routine_id");`);
    for (const statement of refuseErasedAccount('workout_favourite', 'user_id')) this.addSql(statement);
  }

  override down(): void {
    for (const statement of acceptErasedAccount('workout_favourite', 'user_id')) this.addSql(statement);
    this.addSql(`drop table "workout_favourite";`);
    // The previous version of the service would show private rows to everybody.
    for (const table of OWNED) {
      this.addSql(`update "${table}" set deleted_at = now() where is_private and deleted_at is null;`);
      for (const statement of acceptErasedAccount(table, 'owner_id')) this.addSql(statement);
      this.addSql(`alter table "${table}" drop column "owner_id", drop column "is_private";`);
    }
  }
}
