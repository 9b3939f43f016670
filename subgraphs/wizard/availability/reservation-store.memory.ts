import type { Resource } from './resources.ts';
import type { ReservationStore } from './reservation-store.ts';

interface Held {
  resource: Resource;
  value: string;
  sessionId: string;
  expiresAt: number;
}

/** Reservations of one process. Nothing is awaited between looking and taking, so of two at once one is first. */
export function memoryReservationStore(): ReservationStore {
  let all: Held[] = [];
  const drop = (isOver: (held: Held) => boolean) => {
    all = all.filter((held) => !isOver(held));
  };
  return {
    async reserve({ resource, value, sessionId, places, until }) {
      drop((held) => held.expiresAt <= Date.now());
      const others = all.filter(
        (held) => held.resource === resource && held.value === value && held.sessionId !== sessionId,
      );
      if (others.length >= places) return false;
      drop((held) => held.resource === resource && held.sessionId === sessionId);
      all.push({ resource, value, sessionId, expiresAt: until.getTime() });
      return true;
    },
    holders: async (resource, values) =>
      new Map(
        values.map((value) => [
          value,
          all
            .filter(
              (held) => held.resource === resource && held.value === value && held.expiresAt > Date.now(),
            )
            .map(({ sessionId }) => sessionId),
        ]),
      ),
    async extend(sessionId, until) {
      for (const held of all)
        if (held.sessionId === sessionId) held.expiresAt = until ? until.getTime() : Infinity;
    },
    async release(sessionId, except) {
      drop((held) => held.sessionId === sessionId && held.resource !== except);
    },
    async purge() {
      const before = all.length;
      drop((held) => held.expiresAt <= Date.now());
      return before - all.length;
    },
  };
}
