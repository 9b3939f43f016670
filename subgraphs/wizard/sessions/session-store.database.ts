import type { UnitOfWork } from '#server/unit-of-work.ts';
import { WizardSession } from './session.entity.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

export function databaseSessionStore(unit: UnitOfWork): SessionStore {
  return {
    async insert(session) {
      await unit.em.insert(WizardSession, session);
    },
    findByIds: async (ids) => (await unit.em.find(WizardSession, { id: { $in: [...ids] } })).map(recordOf),
    async list({ createdBy, status, kind, before, limit }) {
      const where = {
        ...(createdBy && { createdBy }),
        ...(status && { status }),
        ...(kind && { kind }),
        ...(before && { id: { $lt: before } }),
      };
      return (await unit.em.find(WizardSession, where, { orderBy: { id: 'desc' }, limit })).map(recordOf);
    },
    async remove(ids) {
      await unit.em.nativeDelete(WizardSession, { id: { $in: [...ids] } });
    },
    replace: async (session) =>
      (await unit.em.nativeUpdate(
        WizardSession,
        { id: session.id, version: session.version - 1 },
        session,
      )) === 1,
  };
}

const recordOf = (stored: WizardSession): SessionRecord => ({
  id: stored.id,
  kind: stored.kind,
  status: stored.status,
  definitionVersion: stored.definitionVersion,
  currentStep: stored.currentStep,
  data: stored.data,
  version: stored.version,
  createdBy: stored.createdBy ?? null,
  gymId: stored.gymId ?? null,
  resumeTokenHash: stored.resumeTokenHash ?? null,
  expiresAt: stored.expiresAt,
  createdAt: stored.createdAt,
  updatedAt: stored.updatedAt,
});
