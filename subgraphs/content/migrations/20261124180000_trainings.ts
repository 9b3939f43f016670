import { Migration } from '@mikro-orm/migrations';
import { acceptErasedAccount, refuseErasedAccount } from '#server/accounts/erased-accounts.ts';

export class Trainings extends Migration {
  override up(): void {
    this.addSql(
      `create table "training" ("id" uuid not null, "user_id" uuid not null, "title" varchar(120) null, "routine_id" uuid null, "routine_version" int null, "squad_id" uuid null, "started_at" timestamptz not null, "ended_at" timestamptz null, "local_date" date not null, "minutes" int null, "note" text null, "entries" jsonb not null, "volume_kg" double precision not null, "rest_ends_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "version" int not null default 1, "import_key" varchar(64) null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "training" add constraint "training_routine_id_foreign" foreign key ("routine_id") references "workout_routine" ("id") on delete set null;`,
    );
    this.addSql(`create index "training_diary" on "training" ("user_id", "local_date", "started_at", "id");`);
    this.addSql(`create index "training_routine_id_index" on "training" ("routine_id");`);
    this.addSql(`create index "training_running" on "training" ("started_at") where "ended_at" is null;`);
    this.addSql(
      `create unique index "training_squad" on "training" ("user_id", "squad_id") where "squad_id" is not null;`,
    );
    this.addSql(
      `create unique index "training_import_key" on "training" ("user_id", "import_key") where "import_key" is not null;`,
    );
    this.addSql(
      `create table "training_exercise" ("training_id" uuid not null, "exercise_id" uuid not null, "user_id" uuid not null, "started_at" timestamptz not null, "local_date" date not null, "is_running" boolean not null, "volume_kg" double precision not null, "heaviest" double precision null, "most_reps" double precision null, "e1rm" double precision null, "longest" double precision null, "farthest" double precision null, "bests" jsonb not null, primary key ("training_id", "exercise_id"));`,
    );
    this.addSql(
      `alter table "training_exercise" add constraint "training_exercise_training_id_foreign" foreign key ("training_id") references "training" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "training_exercise" add constraint "training_exercise_exercise_id_foreign" foreign key ("exercise_id") references "exercise" ("id") on update cascade on delete restrict;`,
    );
    this.addSql(
      `create index "training_exercise_of_user" on "training_exercise" ("user_id", "exercise_id", "started_at");`,
    );
    this.addSql(`create index "training_exercise_by_day" on "training_exercise" ("user_id", "local_date");`);
    this.addSql(`create index "training_exercise_exercise_id_index" on "training_exercise" ("exercise_id");`);
    // The rows of training_exercise follow from those of training, and are deleted with them.
    for (const statement of refuseErasedAccount('training', 'user_id')) this.addSql(statement);
  }

  override down(): void {
    for (const statement of acceptErasedAccount('training', 'user_id')) this.addSql(statement);
    this.addSql(`drop table "training_exercise";`);
    this.addSql(`drop table "training";`);
  }
}
