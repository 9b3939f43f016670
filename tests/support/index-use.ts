import type { Untyped } from './platform/http-client.ts';
import type { SentStatement } from './statements.ts';

/** Runs a query on the database that is checked, for example `(sql, values) => platform.sql('content', sql, values)`. */
export type RunSql = (sql: string, values?: unknown[]) => Promise<Untyped[]>;

/** For tables with at most this many rows, a sequential scan is fastest. */
const SMALL_TABLE_ROWS = 1_000;

/**
 * The statements that PostgreSQL would run by a sequential scan of a table of more than 1,000 rows, each with the table's
 * name. The tables must be analysed first. The statements are only planned, with their own values, and not run.
 */
export async function sequentialScans(run: RunSql, statements: readonly SentStatement[]): Promise<string[]> {
  const [{ database }] = (await run('select current_database() as database')) as [{ database: string }];
  const large = new Set(
    (
      (await run(`select relname from pg_class where relkind = 'r' and reltuples > ${SMALL_TABLE_ROWS}`)) as {
        relname: string;
      }[]
    ).map(({ relname }) => relname),
  );
  const found = new Set<string>();
  const planned = statements.filter((one) => one.database === database && PLANNED.test(one.text));
  if (planned.length === 0)
    throw new Error(`No statement was sent to ${database}, so there is nothing to check.`);
  for (const statement of planned) {
    const [row] = (await run(`explain (format json) ${statement.text}`, [...statement.values])) as [
      { 'QUERY PLAN': [{ Plan: PlanNode }] },
    ];
    for (const table of tablesReadWhole(row['QUERY PLAN'][0].Plan))
      if (large.has(table)) found.add(`${table}: ${statement.text.replace(/\s+/g, ' ').trim()}`);
  }
  return [...found];
}

const PLANNED = /^\s*(select|with|insert|update|delete)\b/i;

/** The used part of `EXPLAIN (FORMAT JSON)`. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

function tablesReadWhole(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' && node['Relation Name'] ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(tablesReadWhole)];
}
