import type { MemorySessionStore } from '../sessions/session-store.memory.ts';
import { canChange } from '../sessions/session-store.ts';
import type { Resource } from './resources.ts';
import type { FirstVisit, FirstVisitsFilter, ReservationStore } from './reservation-store.ts';

/** A reservation. */
interface Held {
  resource: Resource;
  value: string;
  sessionId: string;
  /** Milliseconds since 1970; Infinity if the reservation stays until it is released. */
  expiresAt: number;
  memberId: string | null;
  /** Set for a firm first visit. */
  visit: { gymId: string; startsAt: Date } | undefined;
}

/**
 * Reservations in the memory of one process. No `await` separates a check from its write, so simultaneous calls run one
 * after the other.
 * @param sessions the sessions that have made the reservations
 */
export function memoryReservationStore(
  sessions: Pick<MemorySessionStore, 'findByIds' | 'stored'>,
): ReservationStore {
  let all: Held[] = [];
  const drop = (isUnwanted: (held: Held) => boolean) => {
    const before = all.length;
    all = all.filter((held) => !isUnwanted(held));
    return before - all.length;
  };
  const isPast = ({ expiresAt }: Held) => expiresAt <= Date.now();
  return {
    async reserve({ resource, value, sessionId, places, until, memberId = null, visit }) {
      const session = sessions.stored(sessionId);
      if (!session || session.status === 'CANCELLED') return 'GONE';
      if (!visit && !canChange(session)) return 'CLOSED';
      drop((held) => isPast(held) && !held.visit);
      const isOther = (held: Held) => held.sessionId !== sessionId;
      // Staff still see a visit that has ended.
      const isEndedVisit = (held: Held) => held.visit && isPast(held);
      const ofMember = all.filter(
        (held) => memberId !== null && held.memberId === memberId && isOther(held) && !isEndedVisit(held),
      );
      // `extend` gives the reservations of a deployment no end.
      if (ofMember.some((held) => held.visit || held.expiresAt === Infinity)) return 'BOOKED';
      const others = all.filter(
        (held) =>
          held.resource === resource &&
          held.value === value &&
          isOther(held) &&
          !isPast(held) &&
          !ofMember.includes(held),
      );
      if (others.length >= places) return 'RESERVED';
      drop((held) => ofMember.includes(held) || (held.resource === resource && held.sessionId === sessionId));
      all.push({ resource, value, sessionId, expiresAt: until.getTime(), memberId, visit });
      return 'HELD';
    },
    async firstVisits({ limit, ...wanted }) {
      const visits = firstVisitsAmong(all, wanted);
      const known = await sessions.findByIds(visits.map(({ sessionId }) => sessionId));
      const deployed = new Set(known.flatMap(({ id, status }) => (status === 'DEPLOYED' ? [id] : [])));
      return visits.filter(({ sessionId }) => deployed.has(sessionId)).slice(0, limit);
    },
    holders: async (resource, values) =>
      new Map(
        values.map((value) => [
          value,
          all
            .filter((held) => held.resource === resource && held.value === value && !isPast(held))
            .map(({ sessionId }) => sessionId),
        ]),
      ),
    visitOf: async (memberId) =>
      all.find((held) => held.visit && held.memberId === memberId && !isPast(held))?.sessionId,
    async endVisits(sessionIds) {
      for (const held of all)
        if (held.visit && !isPast(held) && sessionIds.includes(held.sessionId)) held.expiresAt = Date.now();
    },
    async extend(sessionId, until) {
      for (const held of all)
        if (held.sessionId === sessionId) {
          held.expiresAt = until ? until.getTime() : Infinity;
          if (until) held.visit = undefined;
        }
    },
    async release(sessionId, except) {
      drop((held) => held.sessionId === sessionId && held.resource !== except);
    },
    purge: async (visitsBefore) =>
      drop((held) => isPast(held) && (!held.visit || held.expiresAt <= visitsBefore.getTime())),
  };
}

function firstVisitsAmong(
  all: readonly Held[],
  { gymId, from, to, after }: Omit<FirstVisitsFilter, 'limit'>,
): FirstVisit[] {
  return all
    .flatMap(({ sessionId, memberId, value, visit }) =>
      visit && memberId && visit.gymId === gymId && visit.startsAt >= from && visit.startsAt < to
        ? [{ sessionId, userId: memberId, locationId: value.split('@')[0] ?? '', startsAt: visit.startsAt }]
        : [],
    )
    .filter((visit) => !after || inOrder(visit, after) > 0)
    .toSorted(inOrder);
}

type ListPosition = Pick<FirstVisit, 'startsAt' | 'sessionId'>;
const inOrder = (one: ListPosition, other: ListPosition): number =>
  one.startsAt.getTime() - other.startsAt.getTime() ||
  (one.sessionId < other.sessionId ? -1 : Number(one.sessionId > other.sessionId));
