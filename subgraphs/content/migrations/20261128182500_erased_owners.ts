import { Migration } from '@mikro-orm/migrations';
import { ignoreChanges, noteChanges } from '#server/changes/change-triggers.ts';

const CHECK_BEFORE = 'not "is_private" or ("owner_id" is not null and "gym_id" is null)';
const CHECK =
  'not "is_private" or (("owner_id" is not null or "deleted_at" is not null) and "gym_id" is null)';

const NOTED = { table: 'exercise', kind: 'Exercise' };
const NOTED_BEFORE = { ...NOTED, own: { column: 'owner_id', condition: 'is_private' } };
/** A private exercise without an owner concerns all who may read it. */
const NOTED_NOW = { ...NOTED, own: { column: 'owner_id', condition: 'is_private and owner_id is not null' } };

export class ErasedOwners extends Migration {
  override up(): void {
    this.replace(CHECK, [...ignoreChanges(NOTED_BEFORE), ...noteChanges(NOTED_NOW)]);
    // The exercises that earlier releases kept after the deletion of their owner's account. A deleted exercise without a
    // description that a SUPER_ADMIN added for all gyms looks the same, so it is changed, too. The library has its own ids.
    this.addSql(
      `update "exercise" set "is_private" = true, "aliases" = '[]', "instructions" = '[]' where "owner_id" is null and "gym_id" is null and not "is_private" and "deleted_at" is not null and "description" is null and "id"::text not like '01900000-0e00-7%';`,
    );
    this.addSql(
      `update "workout_routine_version" set "content" = "content" - 'ownerId' where jsonb_exists("content", 'ownerId');`,
    );
  }

  /** The previous version of the service reads versions without an owner, too. */
  override down(): void {
    this.addSql(`update "exercise" set "is_private" = false where "is_private" and "owner_id" is null;`);
    this.replace(CHECK_BEFORE, [...ignoreChanges(NOTED_NOW), ...noteChanges(NOTED_BEFORE)]);
  }

  private replace(check: string, triggers: readonly string[]): void {
    this.addSql(`alter table "exercise" drop constraint "exercise_private";`);
    this.addSql(`alter table "exercise" add constraint "exercise_private" check (${check});`);
    for (const statement of triggers) this.addSql(statement);
  }
}
