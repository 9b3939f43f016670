import { isAtRest, outputsOf, type Saga, type SagaDefinition } from '#server/saga/saga.ts';
import { conflict } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { RESERVATION_MILLIS } from '../availability/resources.ts';
import type { OtherServices } from '../other-services.ts';
import { isUnresolved, LIFETIME_MILLIS, NEVER, type SessionRecord } from '../sessions/session-store.ts';
import type { WizardStorage } from '../storage.ts';
import { DEPLOYMENT } from './deployment-context.ts';
import { gymActions, gymResult } from './gym-setup.ts';
import { memberActions, memberResult } from './member-onboarding.ts';

const GIVE_UP_AFTER_MILLIS = 12 * 60 * 60 * 1000; // 12 h: while the other services still know our keys

export interface DeploymentSagaOptions {
  services: OtherServices;
  storage: WizardStorage;
  unitOf(): UnitOfWork;
}

/** How a session is deployed, in turn; and what becomes of it. */
export const deploymentSaga = ({ services, storage, unitOf }: DeploymentSagaOptions): SagaDefinition => ({
  kind: DEPLOYMENT,
  actions: { ...gymActions(services), ...memberActions(services, storage, unitOf) },
  forgetsInputs: true,
  giveUpAfterMillis: GIVE_UP_AFTER_MILLIS,
  result: (outputs) => (outputs.gym ? gymResult(outputs) : memberResult(outputs)),
  async onChange(saga, unit) {
    if (isAtRest(saga)) await settle(storage, saga, unit);
    else await storage.sessions(unit).announce(saga.subject);
  },
});

/** The session's status and what it holds change together with the saga's end. */
async function settle(storage: WizardStorage, saga: Saga, unit: UnitOfWork): Promise<void> {
  const sessions = storage.sessions(unit);
  const [session] = await sessions.findByIds([saga.subject]);
  // The session was erased with its owner meanwhile.
  if (!session || !(session.status === 'DEPLOYING' || isUnresolved(session))) return;
  if (!(await sessions.replace(settled(session, saga))))
    throw new Error('The session was changed while it was deployed.');
  const reservations = storage.reservations(unit);
  // A first visit is held until its time has passed.
  if (saga.status === 'DONE') await reservations.release(session.id, 'slot');
  // What is corrected after a failure finds the names still held.
  else if (saga.status === 'UNDONE' && !isUnresolved(session))
    await reservations.extend(session.id, new Date(Date.now() + RESERVATION_MILLIS));
  else if (saga.status === 'UNDONE') await reservations.release(session.id);
}

function settled(session: SessionRecord, saga: Saga): SessionRecord {
  const changed = { ...session, version: session.version + 1, updatedAt: new Date() };
  if (saga.status === 'DONE') {
    const { gymId } = (outputsOf(saga).gym ?? {}) as { gymId?: string };
    return { ...changed, status: 'DEPLOYED', gymId: gymId ?? session.gymId };
  }
  if (saga.status === 'UNDO_FAILED') return { ...changed, status: 'FAILED', expiresAt: NEVER };
  const expiresAt =
    session.expiresAt >= NEVER ? new Date(Date.now() + LIFETIME_MILLIS) : session.expiresAt;
  return { ...changed, status: 'FAILED', expiresAt };
}

/** The session of a saga that is undone once more, as part of that decision. */
export async function reopen(storage: WizardStorage, saga: Saga, unit: UnitOfWork): Promise<void> {
  const sessions = storage.sessions(unit);
  const [session] = await sessions.findByIds([saga.subject]);
  if (!session || !isUnresolved(session)) return;
  const reopened: SessionRecord = {
    ...session,
    status: 'DEPLOYING',
    version: session.version + 1,
    updatedAt: new Date(),
  };
  if (!(await sessions.replace(reopened)))
    throw conflict('The session was changed meanwhile; repeat the request.');
}
