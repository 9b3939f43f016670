import { Migration } from '@mikro-orm/migrations';

/** Every relation inside the service becomes a foreign key. Rows that refer to a deleted row are removed first. */
export class Relations extends Migration {
  override up(): void {
    // Parents come before their children, so that the orphans of an orphan are found.
    for (const { table, column, parent } of RELATIONS)
      this.addSql(
        `delete from "${table}" where not exists (select 1 from "${parent}" where "${parent}"."id" = "${table}"."${column}");`,
      );
    this.addSql(`create index "check_in_gym_id_index" on "check_in" ("gym_id");`);
    this.addSql(`create index "check_in_denial_gym_id_index" on "check_in_denial" ("gym_id");`);
    for (const { table, column, parent, onDelete } of RELATIONS)
      this.addSql(
        `alter table "${table}" add constraint "${table}_${column}_foreign" foreign key ("${column}") references "${parent}" ("id") on delete ${onDelete};`,
      );
    this.addSql(countScores(' where exists (select 1 from challenge where id = changes.challenge_id)'));
  }

  override down(): void {
    this.addSql(countScores(''));
    for (const { table, column } of RELATIONS.toReversed())
      this.addSql(`alter table "${table}" drop constraint "${table}_${column}_foreign";`);
    this.addSql(`drop index "check_in_denial_gym_id_index";`);
    this.addSql(`drop index "check_in_gym_id_index";`);
  }
}

interface Relation {
  table: string;
  column: string;
  parent: string;
  onDelete: 'cascade' | 'restrict';
}

const RELATIONS: readonly Relation[] = [
  { table: 'gym_config_version', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'gym_config_draft', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'gym_product', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'gym_program', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'location', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'check_in', column: 'gym_id', parent: 'gym', onDelete: 'restrict' },
  { table: 'check_in', column: 'location_id', parent: 'location', onDelete: 'restrict' },
  { table: 'check_in_denial', column: 'gym_id', parent: 'gym', onDelete: 'cascade' },
  { table: 'check_in_denial', column: 'location_id', parent: 'location', onDelete: 'cascade' },
  { table: 'challenge', column: 'gym_id', parent: 'gym', onDelete: 'restrict' },
  { table: 'challenge_participant', column: 'challenge_id', parent: 'challenge', onDelete: 'cascade' },
  { table: 'challenge_score_count', column: 'challenge_id', parent: 'challenge', onDelete: 'cascade' },
  { table: 'announcement', column: 'gym_id', parent: 'gym', onDelete: 'restrict' },
  { table: 'post', column: 'gym_id', parent: 'gym', onDelete: 'restrict' },
  { table: 'post_like', column: 'post_id', parent: 'post', onDelete: 'cascade' },
  { table: 'post_comment', column: 'post_id', parent: 'post', onDelete: 'cascade' },
  { table: 'post_report', column: 'post_id', parent: 'post', onDelete: 'cascade' },
  { table: 'post_report', column: 'gym_id', parent: 'gym', onDelete: 'restrict' },
];

/**
 * The function of the first migration, except for `only`: when a challenge is deleted, PostgreSQL deletes its participants
 * and its counts in no guaranteed order, so the deletion of a participant must not add a count.
 */
const countScores = (
  only: string,
): string => `create or replace function "count_scores"() returns trigger language plpgsql as $$
begin
  insert into challenge_score_count as counted (challenge_id, score, participants)
  select challenge_id, score, sum(change) from (
    select old.challenge_id, old.score, -1 as change where tg_op in ('UPDATE', 'DELETE')
    union all
    select new.challenge_id, new.score, 1 where tg_op in ('INSERT', 'UPDATE')
  ) as changes${only} group by challenge_id, score order by challenge_id, score
  on conflict (challenge_id, score) do update set participants = counted.participants + excluded.participants;
  return null;
end $$;`;
