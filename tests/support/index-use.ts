import pg from 'pg';
import type { Untyped } from './platform/http-client.ts';

/** A statement of a service. */
export interface SentStatement {
  /** Its database: several services may run in this process. */
  database: string;
  text: string;
  values: readonly unknown[];
}

/** A query on the database in question, for example `(sql, values) => platform.sql('content', sql, values)`. */
export type RunSql = (sql: string, values?: unknown[]) => Promise<Untyped[]>;

/** For tables with at most this many rows, a sequential scan is fastest. */
const SMALL_TABLE_ROWS = 1_000;

/** Records the statements that services in this process send while `work` runs. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  const original = pg.Client.prototype.query;
  const query = original as (...all: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement, given] = args as [string | { text?: string; values?: unknown[] }, unknown];
    const { text = '', values } = typeof statement === 'string' ? { text: statement } : statement;
    sent.push({
      database: this.database ?? '',
      text,
      values: values ?? (Array.isArray(given) ? (given as unknown[]) : []),
    });
    return query.apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return sent;
}

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
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

function tablesReadWhole(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' && node['Relation Name'] ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(tablesReadWhole)];
}
