import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Rows of a `select` with a constant text, for data that is only passed on. PostgreSQL plans the statement once per
 * connection, and no entities are made. Compared with `em.find` it takes a tenth of this process's time and a third of the
 * database's; compared with `em.execute`, half of both. Inside a transaction it uses the transaction's connection.
 *
 * A `?` is a placeholder for one value; a list is one value, e.g. `id = any(?::uuid[])`. Name the columns: PostgreSQL
 * refuses a cached plan whose `*` a migration has changed. Times come in PostgreSQL's own format.
 */
export async function read<Row>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { name, text } = statementOf(sql);
  if (em.isInTransaction()) {
    const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] } as const;
    const compiled = { query, sql: text, parameters: values, queryId: { queryId: '' } };
    return (await em.getKysely().executeQuery<Row>(compiled)).rows;
  }
  const pool = await em.getConnection().getNativeClient();
  const { rows } = await pool.query({ name, text, values: [...values] });
  return rows as Row[]; // the columns are what the text selects
}

interface Statement {
  /** The name of the prepared statement; undefined: the statement is not prepared. */
  readonly name?: string;
  readonly text: string;
}

/** A bound, because texts that depend on a client's filters would otherwise fill the memory of each connection. */
const MOST_KEPT = 200;
const kept = new Map<string, Statement>();

function statementOf(sql: string): Statement {
  const known = kept.get(sql);
  if (known) return known;
  let count = 0;
  const text = sql.replaceAll('?', () => `$${(count += 1)}`);
  if (kept.size >= MOST_KEPT) return { text };
  const statement = { name: `read_${kept.size}`, text };
  kept.set(sql, statement);
  return statement;
}
