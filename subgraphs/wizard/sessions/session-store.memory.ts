import { isKept, statusOf, type SessionRecord, type SessionStore } from './session-store.ts';

export interface MemorySessionStore extends SessionStore {
  /** The session as it is stored at this moment, for a check that no `await` separates from its write. */
  stored(id: string): Readonly<SessionRecord> | undefined;
}

/** Sessions in the memory of one process; they are lost when it ends. */
export function memorySessionStore(notify: (id: string) => void): MemorySessionStore {
  const sessions = new Map<string, SessionRecord>();
  // The store copies values in and out, so that later changes by a caller do not change what is stored.
  return {
    stored: (id) => sessions.get(id),
    async insert(session) {
      sessions.set(session.id, structuredClone(session));
    },
    findByIds: async (ids) =>
      ids.flatMap((id) => sessions.get(id) ?? []).map((session) => structuredClone(session)),
    list: async ({ createdBy, status, kind, before, limit }) =>
      [...sessions.values()]
        .filter(
          (session) =>
            (!createdBy || session.createdBy === createdBy) &&
            (!status || statusOf(session) === status) &&
            (!kind || session.kind === kind) &&
            (!before || session.id < before),
        )
        .toSorted((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map((session) => structuredClone(session)),
    findExpired: async (before, limit) =>
      [...sessions.values()]
        .filter(({ status, expiresAt }) => !isKept(status) && expiresAt < before)
        .slice(0, limit)
        .map((session) => structuredClone(session)),
    findDeployedOnboardings: async (before, limit) =>
      [...sessions.values()]
        .filter(
          ({ kind, status, updatedAt }) =>
            kind === 'MEMBER_ONBOARDING' && status === 'DEPLOYED' && updatedAt < before,
        )
        .slice(0, limit)
        .map((session) => structuredClone(session)),
    async remove(ids) {
      for (const id of ids) sessions.delete(id);
    },
    notify: async (id) => notify(id),
    async replace(session) {
      if (sessions.get(session.id)?.version !== session.version - 1) return false;
      sessions.set(session.id, structuredClone(session));
      notify(session.id);
      return true;
    },
  };
}
