import { Migration } from '@mikro-orm/migrations';
import { libraryStatements } from '../exercises/library-statements.ts';

/** The search columns before this migration: without categories, levels and parts of the body. */
const SEARCH_BEFORE = {
  exercise: `generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(jsonb_to_tsvector('english'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('simple'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "primary_muscles" || "secondary_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "equipment"), 'D')) stored`,
  workout_routine: `generated always as (setweight(to_tsvector('english'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "target_muscles", '["string"]'), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored`,
  product: `generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "sku"), 'B') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored`,
};
const SEARCH = {
  exercise: `generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(jsonb_to_tsvector('english'::regconfig, "aliases", '["string"]'), 'B') || setweight(jsonb_to_tsvector('simple'::regconfig, "aliases", '["string"]'), 'B') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "primary_muscles" || "secondary_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "equipment"), 'C') || to_tsvector('simple'::regconfig, "level") || case when jsonb_exists_any("primary_muscles", '{"biceps","chest","forearms","lats","middle back","neck","shoulders","traps","triceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'upper body upperbody'), 'C') else ''::tsvector end || case when jsonb_exists_any("primary_muscles", '{"abductors","adductors","calves","glutes","hamstrings","hip flexors","quadriceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'lower body lowerbody legs'), 'C') else ''::tsvector end || case when jsonb_exists_any("primary_muscles", '{"abdominals","lower back"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'core abs'), 'C') else ''::tsvector end || case when jsonb_exists_any("primary_muscles", '{"biceps","forearms","triceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'arms'), 'C') else ''::tsvector end) stored`,
  workout_routine: `generated always as (setweight(to_tsvector('english'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "title"), 'A') || setweight(to_tsvector('simple'::regconfig, "category"), 'B') || setweight(jsonb_to_tsvector('english'::regconfig, "target_muscles", '["string"]'), 'C') || setweight(to_tsvector('simple'::regconfig, "difficulty"), 'C') || setweight(jsonb_to_tsvector('simple'::regconfig, "equipment", '["string"]'), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D') || case when jsonb_exists_any("target_muscles", '{"biceps","chest","forearms","lats","middle back","neck","shoulders","traps","triceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'upper body upperbody'), 'C') else ''::tsvector end || case when jsonb_exists_any("target_muscles", '{"abductors","adductors","calves","glutes","hamstrings","hip flexors","quadriceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'lower body lowerbody legs'), 'C') else ''::tsvector end || case when jsonb_exists_any("target_muscles", '{"abdominals","lower back"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'core abs'), 'C') else ''::tsvector end || case when jsonb_exists_any("target_muscles", '{"biceps","forearms","triceps"}'::text[]) then setweight(to_tsvector('simple'::regconfig, 'arms'), 'C') else ''::tsvector end) stored`,
  product: `generated always as (setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "sku"), 'B') || setweight(to_tsvector('simple'::regconfig, "kind"), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored`,
};

/** SHA-256 of the library that this migration writes: another library needs another migration. */
export const LIBRARY_DIGEST = '8da1ed44e1d721857fbf3c045a077a8a04d5f9194d69095474c41c8edfc25673';

export class ExerciseLibrary extends Migration {
  override up(): void {
    this.addSql(`alter table "exercise" add column "instructions" jsonb not null default '[]';`);
    this.replaceSearch(SEARCH);
    // A row whose only write has set its picture (version 2) counts as unchanged, so that it gets the facts of the library.
    this.addSql(
      `update "exercise" set "updated_at" = "created_at" where "id"::text like '01900000-0e00-7%' and "version" = 2 and "image" is not null and "deleted_at" is null;`,
    );
    for (const statement of libraryStatements()) this.addSql(statement);
  }

  /** The exercises stay, because the previous version of the service has the same exercises with the same ids. */
  override down(): void {
    this.replaceSearch(SEARCH_BEFORE);
    this.addSql(`alter table "exercise" drop column "instructions";`);
  }

  private replaceSearch(expressions: Record<string, string>): void {
    for (const [table, generated] of Object.entries(expressions)) {
      this.addSql(`alter table "${table}" drop column "search";`);
      this.addSql(`alter table "${table}" add column "search" tsvector ${generated};`);
      this.addSql(`create index "${table}_search" on "${table}" using gin ("search");`);
    }
  }
}
