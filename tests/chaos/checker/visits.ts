import type { History, Operation } from '../history.ts';
import type { Violation } from './violation.ts';

export type Query = <Row extends object>(
  database: string,
  text: string,
  values?: unknown[],
) => Promise<Row[]>;

/**
 * Records each beginning and end of a visit with its transaction. The times of commits then decide who was inside when;
 * `checked_in_at` and `checked_out_at` are set before the commit.
 */
export const RECORD_VISITS = `
  create table chaos_visit (xid xid8 not null, visit_id uuid not null, user_id uuid, location_id uuid not null, step int not null);
  create function chaos_visit() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' and new.checked_out_at is null then
      insert into chaos_visit values (pg_current_xact_id(), new.id, new.user_id, new.location_id, 1);
    elsif tg_op = 'UPDATE' and old.checked_out_at is null and new.checked_out_at is not null then
      insert into chaos_visit values (pg_current_xact_id(), new.id, new.user_id, new.location_id, -1);
    end if;
    return null;
  end $$;
  create trigger chaos_visit after insert or update on check_in for each row execute function chaos_visit()`;

interface Change {
  at: string;
  people: number;
}

/**
 * The commits after which a location had more people inside than its capacity, or a member had more than one open visit. At
 * most 20 of each kind are returned.
 */
export async function capacityViolations(
  query: Query,
  locations: readonly string[],
  capacity: number,
): Promise<Violation[]> {
  const peopleBy = (column: 'location_id' | 'user_id') =>
    query<Change & { id: string }>(
      'platform_gym',
      `select id, at::text, people from (
         select id, at, sum(step) over (partition by id order by at, xid) as people from (
           select ${column} as id, xid, pg_xact_commit_timestamp(xid::xid) as at, sum(step)::int as step
           from chaos_visit where location_id = any($1) group by 1, 2
         ) as change
       ) as state where people > $2 order by at limit 20`,
      [locations, column === 'location_id' ? capacity : 1],
    );
  const [tooFull, twice] = await Promise.all([peopleBy('location_id'), peopleBy('user_id')]);
  return [
    ...tooFull.map(({ id, at, people }) => ({
      rule: 'capacity',
      what: `location ${id} had ${people} people inside at ${at}; its capacity is ${capacity}`,
      operations: [],
    })),
    ...twice.map(({ id, at, people }) => ({
      rule: 'one open visit',
      what: `member ${id} had ${people} open visits at ${at}`,
      operations: [],
    })),
  ];
}

interface Visit {
  id: string;
  userId: string;
  isOpen: boolean;
}

/** Acknowledged check-ins and check-outs are stored, and no visit exists that nobody asked for. */
export async function visitViolations(
  query: Query,
  history: History,
  locations: readonly string[],
): Promise<Violation[]> {
  const visits = await query<Visit>(
    'platform_gym',
    'select id, user_id as "userId", checked_out_at is null as "isOpen" from check_in where location_id = any($1)',
    [locations],
  );
  const byId = new Map(visits.map((visit) => [visit.id, visit]));
  const checkIns = history.of<{ id: string; duplicate: boolean }>('check-in');
  const violations: Violation[] = [];
  const add = (rule: string, what: string, ...operations: Operation[]) =>
    violations.push({ rule, what, operations });

  const opened = new Map<string, Operation>();
  for (const operation of checkIns.filter(({ outcome }) => outcome === 'ok')) {
    const { id, duplicate } = operation.value!;
    if (!byId.has(id)) add('lost', `the visit ${id} of an acknowledged check-in is not stored`, operation);
    if (duplicate) continue;
    const other = opened.get(id);
    if (other)
      add('doubled', `two check-ins were both acknowledged with the new visit ${id}`, other, operation);
    opened.set(id, operation);
  }
  for (const operation of history.of<string>('check-out').filter(({ outcome }) => outcome === 'ok')) {
    const visit = byId.get(operation.value!);
    const problem = !visit ? 'is not stored' : visit.isOpen ? 'is still open' : undefined;
    if (problem)
      add('lost', `the visit ${operation.value} of an acknowledged check-out ${problem}`, operation);
  }
  for (const userId of new Set(visits.map((visit) => visit.userId))) {
    const unexplained = visits.filter((visit) => visit.userId === userId && !opened.has(visit.id));
    const unknown = checkIns.filter(({ input, outcome }) => input.userId === userId && outcome === 'unknown');
    if (unexplained.length > unknown.length)
      add(
        'doubled',
        `member ${userId} has ${unexplained.length} visits that no check-in acknowledged, but only ${unknown.length} check-ins without an answer: ${unexplained.map(({ id }) => id).join()}`,
        ...unknown,
      );
  }
  return violations;
}
