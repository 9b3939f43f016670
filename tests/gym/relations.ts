import { readFileSync } from 'node:fs';
import type { TestPlatform } from '../support/platform.ts';

export interface Relation {
  table: string;
  parent: string;
  column: string;
  onDelete: 'cascade' | 'restrict';
}

/** The gym service's relations as docs/relations.md lists them. */
export function documentedRelations(): Relation[] {
  const text = readFileSync(new URL('../../docs/relations.md', import.meta.url), 'utf8');
  const section = /^## gym .*?(?=^## |$(?![\s\S]))/ms.exec(text)?.[0] ?? '';
  const rows = section.matchAll(/^\| `(\w+)` \| `(\w+)` \| `(\w+)` \| (cascade|restrict) \|$/gm);
  return [...rows].map(([, table = '', parent = '', column = '', onDelete]) => ({
    table,
    parent,
    column,
    onDelete: onDelete as Relation['onDelete'],
  }));
}

/**
 * Inconsistencies in the tables: rows whose parent is missing, and counts, stocks and scores that differ from the rows.
 * @param challengeIds the challenges whose scores are compared with the visits
 */
export async function brokenRows(
  platform: TestPlatform,
  challengeIds: readonly string[] = [],
): Promise<unknown[]> {
  const orphans = documentedRelations().map(
    ({ table, parent, column }) =>
      `select '${table} without ${parent}' as wrong, ${column}::text as id from ${table} as child
       where not exists (select 1 from ${parent} where id = child.${column})`,
  );
  const sums = [
    `select 'like_count' as wrong, id::text from post
     where like_count <> (select count(*) from post_like where post_id = post.id)`,
    `select 'comment_count' as wrong, id::text from post
     where comment_count <> (select count(*) from post_comment where post_id = post.id)`,
    `select 'stock' as wrong, product_id::text from (select gym_id, product_id, coalesce(stock, 0) as stock from gym_product) as listed
     full join (select gym_id, product_id, sum(delta)::int as total from stock_movement group by 1, 2) as moved using (gym_id, product_id)
     where coalesce(stock, 0) <> coalesce(total, 0)`,
    `select 'score' as wrong, p.user_id::text from challenge_participant p join challenge c on c.id = p.challenge_id
     where c.metric = 'CHECK_INS' and c.id = any($1) and p.score <> (
       select count(*) from check_in v where v.user_id = p.user_id and v.gym_id = c.gym_id
       and v.checked_in_at >= c.starts_at and v.checked_in_at < c.ends_at and v.check_out_kind is distinct from 'UNDONE')`,
    `select 'score count' as wrong, coalesce(counted.challenge_id, stored.challenge_id)::text
     from (select challenge_id, score, count(*) as people from challenge_participant group by 1, 2) as counted
     full join (select * from challenge_score_count where participants <> 0) as stored using (challenge_id, score)
     where counted.people is distinct from stored.participants`,
  ];
  return platform.sql('gym', [...orphans, ...sums].join(' union all '), [challengeIds]);
}
