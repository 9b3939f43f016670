import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { runOnce } from '#server/database/read.ts';
import type { JournalJob } from './journal.ts';

/**
 * How far an instance has read a journal. Each write has a mark of its own. If PostgreSQL loses its last transactions (a
 * failover to a standby that was behind, a restored backup) and another instance writes others in their place, the numbers
 * are the same and the marks differ: the instance then reads the whole journal again.
 */
export interface Position {
  readonly seq: number;
  /** Null before the first record. */
  readonly mark: string | null;
}

export const START: Position = { seq: 0, mark: null };

/** The present position of a journal, and what a reader at an older position lacks. */
export interface Found {
  readonly position: Position;
  readonly base: number;
  /** Whether `records` are all records of the journal, not only those after the reader's position. */
  readonly isWhole: boolean;
  readonly records: readonly object[];
}

interface FoundRow {
  place: 'same' | 'behind' | 'other';
  seq: number;
  mark: string;
  base: number;
  snapshot: string | null;
  records: string | null;
}

/** The journal of a write, and the position at which the write was decided. */
interface Decided {
  readonly kind: string;
  readonly id: string;
  readonly position: Position;
}

/**
 * Statements on the tables of the journals. Each is one atomic operation. Errors that `refusalOfDatabase` knows, such as a
 * lost connection or a full disk, are thrown as PlatformErrors, all others as they are.
 */
export const journalTables = {
  async read(em: EntityManager, kind: string, id: string, known: Position): Promise<Found> {
    const [row] = await run<FoundRow>(em, READ, [
      known.seq,
      known.mark,
      known.seq,
      known.mark,
      known.seq,
      known.mark,
      kind,
      id,
      known.seq,
    ]);
    if (!row) return { position: START, base: 0, isWhole: true, records: [] };
    const records = [...parsed(row.snapshot), ...parsed(row.records)];
    const { seq, mark, base } = row;
    return { position: { seq, mark }, base, isWhole: row.place === 'other', records };
  },

  /** Locks a journal until the end of the transaction. Returns false, without a lock, if the journal has no records yet. */
  async lock(em: EntityManager, kind: string, id: string): Promise<boolean> {
    const rows = await run(em, 'select 1 from journal where kind = ? and id = ? for update', [kind, id]);
    return rows.length > 0;
  },

  /**
   * Appends records, and adds jobs in the same statement. Returns the new position; undefined if the journal was at another
   * position than `position`, and nothing was written.
   */
  async append(
    em: EntityManager,
    { kind, id, position }: Decided,
    records: readonly object[],
    jobs: readonly JournalJob[] = [],
  ): Promise<Position | undefined> {
    const next = { seq: position.seq + records.length, mark: randomUUID() };
    const head =
      position.mark === null
        ? [kind, id, next.seq, next.mark]
        : [next.seq, next.mark, kind, id, ...at(position)];
    const statement = position.mark === null ? BEGIN : APPEND;
    const rows = await run(em, statement + (jobs.length > 0 ? WITH_JOBS : APPENDED), [
      ...head,
      kind,
      id,
      position.seq,
      next.mark,
      JSON.stringify(records),
      ...(jobs.length > 0 ? [JSON.stringify(jobs)] : []),
    ]);
    return rows.length > 0 ? next : undefined;
  },

  /**
   * Replaces all records. `seq` increases by one and `mark` changes, so that every instance reads the whole journal again.
   * Returns the same as `append`.
   */
  async rewrite(
    em: EntityManager,
    { kind, id, position }: Decided,
    records: readonly object[],
  ): Promise<Position | undefined> {
    const next = { seq: position.seq + 1, mark: randomUUID() };
    const head =
      position.mark === null
        ? [kind, id, next.seq, next.mark, next.seq, next.mark]
        : [next.seq, next.mark, next.seq, next.mark, kind, id, ...at(position)];
    const rows = await run(em, position.mark === null ? BEGIN_REWRITTEN : REWRITE, [
      ...head,
      kind,
      id,
      JSON.stringify(records),
      kind,
      id,
    ]);
    return rows.length > 0 ? next : undefined;
  },

  /**
   * Makes these records the snapshot at `position`, and removes the rows of `journal_record`, which it contains.
   * The position stays the same. Returns false if the journal was at another position, and nothing was written.
   */
  async compact(
    em: EntityManager,
    { kind, id, position }: Decided,
    records: readonly object[],
  ): Promise<boolean> {
    const rows = await run(em, COMPACT, [
      kind,
      id,
      ...at(position),
      kind,
      id,
      JSON.stringify(records),
      kind,
      id,
    ]);
    return rows.length > 0;
  },

  /** The positions of journals by their names, `<kind>/<id>`. Journals without records are absent from the result. */
  async positions(em: EntityManager, names: readonly string[]): Promise<ReadonlyMap<string, Position>> {
    const kinds = names.map((name) => name.slice(0, name.indexOf('/')));
    const ids = names.map((name) => name.slice(name.indexOf('/') + 1));
    const rows = await run<{ kind: string; id: string } & Position>(em, POSITIONS, [kinds, ids]);
    return new Map(rows.map(({ kind, id, seq, mark }) => [`${kind}/${id}`, { seq, mark }]));
  },
};

const at = ({ seq, mark }: Position) => [seq, mark];
const parsed = (text: string | null): object[] => (text === null ? [] : (JSON.parse(text) as object[]));

async function run<Row>(em: EntityManager, sql: string, values: readonly unknown[]): Promise<Row[]> {
  try {
    return await runOnce<Row>(em, sql, values);
  } catch (error) {
    throw refusalOfDatabase(error) ?? error;
  }
}

/**
 * A reader is `behind` if its position is the snapshot's or that of a record: then it lacks the records after it. If it is at
 * any `other` position, it has to read the whole journal.
 */
const READ = `
  with head as (
    select kind, id, seq, mark, base,
      case
        when seq = ?::int and mark is not distinct from ?::uuid then 'same'
        when base = ?::int and base_mark is not distinct from ?::uuid then 'behind'
        when exists (
          select 1 from journal_record r
          where r.kind = journal.kind and r.id = journal.id and r.seq = ?::int and r.mark = ?::uuid
        ) then 'behind'
        else 'other'
      end as place
    from journal where kind = ? and id = ?
  )
  select place, seq, mark::text as mark, base,
    case when place = 'other' then (
      select s.records::text from journal_snapshot s where s.kind = head.kind and s.id = head.id
    ) end as snapshot,
    case when place <> 'same' then (
      select json_agg(r.record order by r.seq)::text from journal_record r
      where r.kind = head.kind and r.id = head.id and r.seq > case when place = 'behind' then ?::int else 0 end
    ) end as records
  from head`;

const RECORDS = `
  appended as (
    insert into journal_record (kind, id, seq, mark, record)
    select ?, ?, ?::int + number, ?::uuid, record
    from head, json_array_elements(?::json) with ordinality as given (record, number)
  )`;

const APPENDED = ' select 1 from head';

/** The condition on `head` makes sure that no job is added if nothing was appended. */
const WITH_JOBS = `
  select added.jobs from head cross join lateral (
    select count(graphile_worker.add_job(
      job->>'name', payload => job->'payload', max_attempts => (job->>'maxAttempts')::int,
      run_at => (job->>'runAt')::timestamptz
    )) as jobs
    from json_array_elements(?::json) as job where head.written = 1
  ) as added`;

/**
 * `changed_at` changes at most once an hour, so that most writes need not change its index. This is exact enough for
 * retention, which counts in days.
 */
const CHANGED_AT = `case when changed_at < now() - interval '1 hour' then now() else changed_at end`;

/** The first write to a journal, which creates its row. */
const BEGIN = `
  with head as (
    insert into journal (kind, id, seq, mark, base, changed_at) values (?, ?, ?::int, ?::uuid, 0, now())
    on conflict do nothing returning 1 as written
  ), ${RECORDS}`;

const APPEND = `
  with head as (
    update journal set seq = ?::int, mark = ?::uuid, changed_at = ${CHANGED_AT}
    where kind = ? and id = ? and seq = ?::int and mark = ?::uuid returning 1 as written
  ), ${RECORDS}`;

const SNAPSHOT = `
  snapshot as (
    insert into journal_snapshot (kind, id, records) select ?, ?, ?::json from head
    on conflict (kind, id) do update set records = excluded.records
  ), removed as (
    delete from journal_record where kind = ? and id = ? and exists (select 1 from head)
  ) select 1 from head`;

const BEGIN_REWRITTEN = `
  with head as (
    insert into journal (kind, id, seq, mark, base, base_mark, changed_at)
    values (?, ?, ?::int, ?::uuid, ?::int, ?::uuid, now()) on conflict do nothing returning 1
  ), ${SNAPSHOT}`;

const REWRITE = `
  with head as (
    update journal set seq = ?::int, mark = ?::uuid, base = ?::int, base_mark = ?::uuid, changed_at = ${CHANGED_AT}
    where kind = ? and id = ? and seq = ?::int and mark = ?::uuid returning 1
  ), ${SNAPSHOT}`;

const COMPACT = `
  with head as (
    update journal set base = seq, base_mark = mark
    where kind = ? and id = ? and seq = ?::int and mark = ?::uuid returning 1
  ), ${SNAPSHOT}`;

const POSITIONS = `
  select kind, id, seq, mark::text as mark from journal
  where (kind, id) in (select * from unnest(?::text[], ?::text[]))`;
