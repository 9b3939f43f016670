import { Migration } from '@mikro-orm/migrations';

/** Scores that are counted from trainings. Those of running challenges, which the participants have reported so far, are counted now. */
export class TrainingScores extends Migration {
  override up(): void {
    this.addSql(
      `alter table "challenge_participant" add column "recount_mark" uuid null, add column "recount_at" timestamptz null;`,
    );
    this.addSql(
      `create index "challenge_participant_recount" on "challenge_participant" ("recount_at") where "recount_at" is not null;`,
    );
    this.addSql(
      `update "challenge_participant" as p set "recount_mark" = gen_random_uuid(), "recount_at" = now() from "challenge" as c where c."id" = p."challenge_id" and c."metric" in ('WORKOUTS', 'MINUTES') and c."ends_at" > now();`,
    );
  }

  override down(): void {
    this.addSql(`drop index "challenge_participant_recount";`);
    this.addSql(`alter table "challenge_participant" drop column "recount_mark", drop column "recount_at";`);
  }
}
