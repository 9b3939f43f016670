import { Migration } from '@mikro-orm/migrations';

/** A gym is visible to everybody once it is opened. Existing gyms, and those that the previous version creates, are open. */
export class GymOpening extends Migration {
  override up(): void {
    this.addSql(
      `alter table "gym" add "opened_at" timestamptz null default now(), add "made_by" varchar(32) null;`,
    );
    this.addSql(`update "gym" set "opened_at" = "created_at";`);
  }

  override down(): void {
    this.addSql(`alter table "gym" drop column "made_by", drop column "opened_at";`);
  }
}
