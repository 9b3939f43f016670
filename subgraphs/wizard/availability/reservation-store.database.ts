import { uuidv7 } from '#server/ids.ts';
import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Reservation } from './reservation.entity.ts';
import type { ReservationRequest, ReservationStore } from './reservation-store.ts';

export function databaseReservationStore(unit: UnitOfWork): ReservationStore {
  return {
    async reserve(request) {
      try {
        // what is thrown undoes the release of what was held before
        return await unit.transaction(async () => {
          await takeTurn(unit, request.sessionId);
          if (await isMadeLonger(unit, request)) return true;
          await unit.em.nativeDelete(Reservation, {
            sessionId: request.sessionId,
            resource: request.resource,
          });
          while (!(await isInserted(unit, request))) if (await isTaken(unit, request)) throw new Taken();
          return true;
        });
      } catch (error) {
        if (error instanceof Taken) return false;
        throw error;
      }
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
    async extend(sessionId, until) {
      await unit.transaction(async () => {
        await takeTurn(unit, sessionId);
        await unit.em.nativeUpdate(Reservation, { sessionId }, { expiresAt: until });
      });
    },
    async release(sessionId, except) {
      await unit.transaction(async () => {
        await takeTurn(unit, sessionId);
        await unit.em.nativeDelete(Reservation, { sessionId, ...(except && { resource: { $ne: except } }) });
      });
    },
    purge: () => removeRows(unit, 'reservation', 'expires_at <= now()', []),
  };
}

/** All places are held by others. */
class Taken extends Error {}

/**
 * Two writers of one session: one after the other, and all in the same order, the session before what it holds. Who
 * took the two the other way round (a deployment's end, a cancellation) would wait for ever for who waits for him.
 */
const takeTurn = (unit: UnitOfWork, sessionId: string) =>
  unit.em.execute('select 1 from wizard_session where id = ? for update', [sessionId]);

async function isMadeLonger(unit: UnitOfWork, { resource, value, sessionId, until }: ReservationRequest) {
  const own = await unit.em.execute<unknown[]>(
    'update reservation set expires_at = ? where session_id = ? and resource = ? and value = ? returning id',
    [until, sessionId, resource, value],
  );
  return own.length === 1;
}

/** Takes the first free place; of several at once on one place the constraint lets one through. */
async function isInserted(
  unit: UnitOfWork,
  { resource, value, sessionId, places, until }: ReservationRequest,
) {
  const inserted = await unit.em.execute<unknown[]>(
    `insert into reservation (id, resource, value, place, session_id, expires_at)
     select ?::uuid, ?, ?, seat.number, ?::uuid, ?::timestamptz from generate_series(1, ?) as seat(number)
     where not exists (
       select 1 from reservation as held
       where held.resource = ? and held.value = ? and held.place = seat.number and (held.expires_at is null or held.expires_at > now())
     )
     order by seat.number limit 1
     on conflict (resource, value, place) do update
       set id = excluded.id, session_id = excluded.session_id, expires_at = excluded.expires_at
       where reservation.expires_at <= now()
     returning id`,
    [uuidv7(), resource, value, sessionId, until, places, resource, value],
  );
  return inserted.length === 1;
}

async function isTaken(unit: UnitOfWork, { resource, value, places }: ReservationRequest): Promise<boolean> {
  const [row] = await unit.em.execute<{ held: number }[]>(
    `select count(*)::int as held from reservation
     where resource = ? and value = ? and place <= ? and (expires_at is null or expires_at > now())`,
    [resource, value, places],
  );
  return (row?.held ?? 0) >= places;
}
