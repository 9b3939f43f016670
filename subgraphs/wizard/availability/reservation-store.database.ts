import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { WizardStatus } from '../sessions/session.entity.ts';
import { canChange, type SessionRecord } from '../sessions/session-store.ts';
import { Reservation } from './reservation.entity.ts';
import type {
  FirstVisit,
  ReservationOutcome,
  ReservationRequest,
  ReservationStore,
} from './reservation-store.ts';

export function databaseReservationStore(unit: UnitOfWork): ReservationStore {
  return {
    reserve: (request) => reserve(unit, request),
    async firstVisits({ gymId, from, to, after, limit }) {
      const rows = await unit.em.execute<(Omit<FirstVisit, 'startsAt'> & { startsAt: Date | string })[]>(
        `select session_id as "sessionId", session.created_by as "userId", split_part(value, '@', 1) as "locationId",
                starts_at as "startsAt"
         from reservation join wizard_session as session on session.id = reservation.session_id
         where is_firm and reservation.gym_id = ? and starts_at >= ? and starts_at < ?
           and session.status = 'DEPLOYED' and session.created_by is not null
           ${after ? 'and (starts_at, session_id) > (?, ?)' : ''}
         order by starts_at, session_id limit ?`,
        [gymId, after?.startsAt ?? from, to, ...(after ? [after.startsAt, after.sessionId] : []), limit],
      );
      return rows.map((row) => ({ ...row, startsAt: new Date(row.startsAt) }));
    },
    async holders(resource, values) {
      const rows = await unit.em.execute<{ value: string; sessionId: string }[]>(
        `select value, session_id as "sessionId" from reservation
         where resource = ? and value in (?) and (expires_at is null or expires_at > now())`,
        [resource, [...values]],
      );
      return new Map(
        [...Map.groupBy(rows, ({ value }) => value)].map(([value, held]) => [
          value,
          held.map(({ sessionId }) => sessionId),
        ]),
      );
    },
    async visitOf(memberId) {
      const [visit] = await unit.em.execute<{ sessionId: string }[]>(
        'select session_id as "sessionId" from reservation where member_id = ? and is_firm and expires_at > now()',
        [memberId],
      );
      return visit?.sessionId;
    },
    async endVisits(sessionIds) {
      await unit.em.execute(
        // in the order of their ids, so that two requests that end the same visits cannot deadlock
        `update reservation set expires_at = now(), place = null, member_id = null where id in (
           select id from reservation where session_id in (?) and is_firm and expires_at > now() order by id for update)`,
        [[...sessionIds]],
      );
    },
    async extend(sessionId, until) {
      await unit.transaction(async () => {
        await lockSession(unit, sessionId);
        await unit.em.nativeUpdate(
          Reservation,
          { sessionId },
          { expiresAt: until, ...(until && { isFirm: false }) },
        );
      });
    },
    async release(sessionId, except) {
      await unit.transaction(async () => {
        await lockSession(unit, sessionId);
        await unit.em.nativeDelete(Reservation, { sessionId, ...(except && { resource: { $ne: except } }) });
      });
    },
    purge: (visitsBefore) =>
      removeRows(unit, 'reservation', 'expires_at <= now() and (not is_firm or expires_at <= ?)', [
        visitsBefore,
      ]),
  };
}

async function reserve(unit: UnitOfWork, request: ReservationRequest): Promise<ReservationOutcome> {
  try {
    // An error rolls back the transaction, and with it the release of the earlier reservation.
    return await unit.transaction(async (): Promise<ReservationOutcome> => {
      const session = await lockSession(unit, request.sessionId);
      // Nothing would release a new reservation of a session that is cancelled or removed.
      if (!session || session.status === 'CANCELLED') throw new Refused('GONE');
      if (!request.visit && !canChange(session)) throw new Refused('CLOSED');
      await releaseOthersOfMember(unit, request);
      if (await tryExtend(unit, request)) return 'HELD';
      await unit.em.nativeDelete(Reservation, {
        sessionId: request.sessionId,
        resource: request.resource,
      });
      while (!(await tryInsert(unit, request)))
        if (await isFull(unit, request)) throw new Refused('RESERVED');
      return 'HELD';
    });
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    // Another session of the same member was first.
    if (request.memberId && error instanceof UniqueConstraintViolationException) return 'BOOKED';
    throw error;
  }
}

/** Thrown in a transaction, to roll back what the attempt has written. */
class Refused extends Error {
  readonly outcome: ReservationOutcome;

  constructor(outcome: ReservationOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

/**
 * Releases the other reservations of the member.
 * @throws Refused if the member has another first visit that is firm and not over, or that is being deployed
 */
async function releaseOthersOfMember(
  unit: UnitOfWork,
  { memberId, sessionId, resource }: ReservationRequest,
): Promise<void> {
  if (!memberId) return;
  // Two sessions of one member run one after the other, because each releases the other's reservation.
  await unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`first-visit:${memberId}`]);
  // Staff still see a visit that has ended.
  await unit.em.execute(
    `update reservation set place = null, member_id = null where member_id = ? and session_id <> ? and is_firm and expires_at <= now()`,
    [memberId, sessionId],
  );
  await unit.em.execute(
    `delete from reservation where member_id = ? and not (session_id = ? and resource = ?) and expires_at is not null and not is_firm`,
    [memberId, sessionId, resource],
  );
  const others = await unit.em.execute<unknown[]>(
    'select 1 from reservation where member_id = ? and session_id <> ?',
    [memberId, sessionId],
  );
  if (others.length > 0) throw new Refused('BOOKED');
}

/**
 * Locks a session, so that its writers run one after the other. All writers lock the session before its reservations. In
 * different orders, two of them, such as the end of a deployment and a cancellation, could deadlock.
 * @returns undefined if the session was removed
 */
async function lockSession(
  unit: UnitOfWork,
  sessionId: string,
): Promise<Pick<SessionRecord, 'status' | 'expiresAt'> | undefined> {
  const [session] = await unit.em.execute<{ status: WizardStatus; expiresAt: Date | string }[]>(
    `select status, expires_at as "expiresAt" from wizard_session where id = ? for update`,
    [sessionId],
  );
  return session && { status: session.status, expiresAt: new Date(session.expiresAt) };
}

const visitValues = ({ memberId, visit }: ReservationRequest): unknown[] => [
  visit !== undefined,
  memberId ?? null,
  visit?.gymId ?? null,
  visit?.startsAt ?? null,
];

/** Extends the session's own reservation of this value. Returns false if it has none. */
async function tryExtend(unit: UnitOfWork, request: ReservationRequest): Promise<boolean> {
  const { resource, value, sessionId, until } = request;
  const own = await unit.em.execute<unknown[]>(
    `update reservation set expires_at = ?, is_firm = ?, member_id = ?::uuid, gym_id = ?::uuid, starts_at = ?::timestamptz
     where session_id = ? and resource = ? and value = ? returning id`,
    [until, ...visitValues(request), sessionId, resource, value],
  );
  return own.length === 1;
}

/**
 * Reserves the first free place. Returns false if no place is free, or if another session took this place at the same time:
 * the unique constraint accepts only one of the two.
 */
async function tryInsert(unit: UnitOfWork, request: ReservationRequest): Promise<boolean> {
  const { resource, value, sessionId, places, until } = request;
  const inserted = await unit.em.execute<unknown[]>(
    `insert into reservation (id, resource, value, place, session_id, expires_at, is_firm, member_id, gym_id, starts_at)
     select ?::uuid, ?, ?, numbered.place, ?::uuid, ?::timestamptz, ?::boolean, ?::uuid, ?::uuid, ?::timestamptz
     from generate_series(1, ?) as numbered(place)
     where not exists (
       select 1 from reservation as held
       where held.resource = ? and held.value = ? and held.place = numbered.place and (held.expires_at is null or held.expires_at > now())
     )
     order by numbered.place limit 1
     on conflict (resource, value, place) do update
       set id = excluded.id, session_id = excluded.session_id, expires_at = excluded.expires_at, is_firm = excluded.is_firm,
         member_id = excluded.member_id, gym_id = excluded.gym_id, starts_at = excluded.starts_at
       where reservation.expires_at <= now()
     returning id`,
    [uuidv7(), resource, value, sessionId, until, ...visitValues(request), places, resource, value],
  );
  return inserted.length === 1;
}

/** Whether all places of the value are taken. */
async function isFull(unit: UnitOfWork, { resource, value, places }: ReservationRequest): Promise<boolean> {
  const [row] = await unit.em.execute<{ held: number }[]>(
    `select count(*)::int as held from reservation
     where resource = ? and value = ? and place <= ? and (expires_at is null or expires_at > now())`,
    [resource, value, places],
  );
  return (row?.held ?? 0) >= places;
}
