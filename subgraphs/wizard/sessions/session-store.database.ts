import { notifying, notifyingValues } from '#server/observability/event-cause.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { WizardSession, type WizardStatus } from './session.entity.ts';
import { EXPIRING, type SessionRecord, type SessionStore } from './session-store.ts';

/** The channel of the database's notifications; the payload is the session's id. */
export const SESSION_CHANNEL = 'wizard_session';

export function databaseSessionStore(unit: UnitOfWork): SessionStore {
  const notify = async (id: string) => {
    await unit.em.execute(
      `select ${notifying('session_id')} from (select ?::text as session_id) as changed`,
      [...notifyingValues(SESSION_CHANNEL), id],
    );
  };
  return {
    async insert(session) {
      await unit.em.insert(WizardSession, session);
    },
    // Rows are always read from the database, because a caller whose change was too late reads the session again.
    findByIds: async (ids) =>
      (await unit.em.find(WizardSession, { id: { $in: [...ids] } }, { disableIdentityMap: true })).map(
        recordOf,
      ),
    async list({ createdBy, status, kind, before, limit }) {
      const where = {
        ...(createdBy && { createdBy }),
        ...whereStatus(status),
        ...(kind && { kind }),
        ...(before && { id: { $lt: before } }),
      };
      return (await unit.em.find(WizardSession, where, { orderBy: { id: 'desc' }, limit })).map(recordOf);
    },
    findExpired: async (before, limit) =>
      (
        await unit.em.find(
          WizardSession,
          { status: { $in: [...EXPIRING, 'CANCELLED'] }, expiresAt: { $lt: before } },
          { limit, orderBy: { expiresAt: 'asc' } },
        )
      ).map(recordOf),
    findDeployedOnboardings: async (before, limit) =>
      (
        await unit.em.find(
          WizardSession,
          { kind: 'MEMBER_ONBOARDING', status: 'DEPLOYED', updatedAt: { $lt: before } },
          { limit, orderBy: { updatedAt: 'asc' } },
        )
      ).map(recordOf),
    async remove(ids) {
      await unit.em.nativeDelete(WizardSession, { id: { $in: [...ids] } });
    },
    notify,
    async replace(session) {
      const changed = await unit.em.nativeUpdate(
        WizardSession,
        { id: session.id, version: session.version - 1 },
        session,
      );
      if (changed === 0) return false;
      await notify(session.id);
      return true;
    },
  };
}

function whereStatus(status: WizardStatus | undefined) {
  if (!status) return {};
  const now = new Date();
  if (status === 'EXPIRED') return { status: { $in: [...EXPIRING] }, expiresAt: { $lte: now } };
  const canExpire = EXPIRING.has(status);
  return { status, ...(canExpire && { expiresAt: { $gt: now } }) };
}

const recordOf = (stored: WizardSession): SessionRecord => ({
  id: stored.id,
  kind: stored.kind,
  status: stored.status,
  definitionVersion: stored.definitionVersion,
  currentStep: stored.currentStep,
  data: stored.data,
  files: stored.files,
  version: stored.version,
  createdBy: stored.createdBy ?? null,
  gymId: stored.gymId ?? null,
  resumeTokenHash: stored.resumeTokenHash ?? null,
  expiresAt: stored.expiresAt,
  createdAt: stored.createdAt,
  updatedAt: stored.updatedAt,
});
