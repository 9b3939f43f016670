import { outputsOf, type Saga, type SagaDefinition } from '#server/saga/saga.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { RESERVATION_MILLIS } from '../availability/resources.ts';
import type { OtherServices } from '../other-services.ts';
import type { SessionRecord } from '../sessions/session-store.ts';
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
    if (saga.status === 'DONE' || saga.status === 'UNDONE') await settle(storage, saga, unit);
    else await storage.sessions(unit).announce(saga.subject);
  },
});

/** The session's status and what it holds change together with the saga's end. */
async function settle(storage: WizardStorage, saga: Saga, unit: UnitOfWork): Promise<void> {
  const sessions = storage.sessions(unit);
  const reservations = storage.reservations(unit);
  const isDone = saga.status === 'DONE';
  const [session] = await sessions.findByIds([saga.subject]);
  if (!session || session.status !== 'DEPLOYING') return; // erased with its owner meanwhile
  const { gymId } = (outputsOf(saga).gym ?? {}) as { gymId?: string };
  const settled: SessionRecord = {
    ...session,
    status: isDone ? 'DEPLOYED' : 'FAILED',
    gymId: isDone && gymId ? gymId : session.gymId,
    version: session.version + 1,
    updatedAt: new Date(),
  };
  if (!(await sessions.replace(settled))) throw new Error('The session was changed while it was deployed.');
  // A first visit is held until it has been; what is corrected after a failure finds the rest still held.
  if (isDone) await reservations.release(session.id, 'slot');
  else await reservations.extend(session.id, new Date(Date.now() + RESERVATION_MILLIS));
}
