/** The channel of PostgreSQL on which the triggers notify; the payload is the kind of the change. */
export const CHANGES_CHANNEL = 'changes';

/** SQL of the functions that the triggers call. A service runs it in its first migration with `noteChanges`. */
export const changeFunctions = (): string[] => [
  `create function "note_change"() returns trigger language plpgsql as $$
begin
  perform pg_notify('${CHANGES_CHANNEL}', tg_argv[0]);
  return null;
end $$;`,
  // The arguments are the kind, the column with the owner, and a condition in SQL, which is true for a row that concerns only
  // its owner. See `ownKind`.
  `create function "note_own_change"() returns trigger language plpgsql as $$
declare
  kind text;
  changed_rows text := case tg_op
    when 'INSERT' then 'select * from rows_after'
    when 'DELETE' then 'select * from rows_before'
    else 'select * from rows_before union all select * from rows_after' end;
begin
  for kind in execute format(
    'select distinct case when %s then %L || right(%I::text, 2) else %L end from (%s) as changed',
    tg_argv[2], tg_argv[0] || '#', tg_argv[1], tg_argv[0], changed_rows)
  loop
    perform pg_notify('${CHANGES_CHANNEL}', kind);
  end loop;
  return null;
end $$;`,
];

export const dropChangeFunctions = (): string[] => [
  `drop function "note_own_change";`,
  `drop function "note_change";`,
];

interface NotedTable {
  table: string;
  kind: string;
  /** Only updates of these columns are noted. Default: every change of a row. */
  columns?: readonly string[];
  /** For a table with rows that concern nobody but their owner. */
  own?: { column: string; condition: string };
}

/**
 * SQL of triggers that note changes of a table, whichever rule or statement makes them: with `columns`, the updates of these
 * columns; with `own`, every insert, update and delete; otherwise also a truncate. Use it only for tables that are written
 * rarely: PostgreSQL commits the transactions of a database that send notifications one after the other.
 */
export function noteChanges({ table, kind, columns, own }: NotedTable): string[] {
  const name = `note_${kind.toLowerCase()}`;
  if (columns)
    return [
      `create trigger "${name}_update" after update of ${columns.map((column) => `"${column}"`).join(', ')} on "${table}" for each statement execute function "note_change"('${kind}');`,
    ];
  if (!own)
    return [
      `create trigger "${name}_change" after insert or update or delete or truncate on "${table}" for each statement execute function "note_change"('${kind}');`,
    ];
  const [before, after] = ['old table as rows_before', 'new table as rows_after'];
  return Object.entries({ insert: after, update: `${before} ${after}`, delete: before }).map(
    ([event, tables]) =>
      `create trigger "${name}_${event}" after ${event} on "${table}" referencing ${tables} for each statement execute function "note_own_change"('${kind}', '${own.column}', '${own.condition}');`,
  );
}

/** SQL that removes the triggers again. */
export function ignoreChanges({ table, kind, columns, own }: NotedTable): string[] {
  const events = columns ? ['update'] : own ? ['insert', 'update', 'delete'] : ['change'];
  return events.map((event) => `drop trigger "note_${kind.toLowerCase()}_${event}" on "${table}";`);
}
