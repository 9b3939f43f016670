import { isSettled, type Saga, type SagaDefinition } from '#server/saga/saga.ts';
import { conflict } from '#server/errors.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import { discard } from '#server/files/unused-files.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { RESERVATION_MILLIS } from '../availability/resources.ts';
import type { WizardDefinition } from '../definitions/definition.ts';
import type { WizardDefinitions } from '../definitions/definitions.ts';
import { keptWhenDeployed } from '../definitions/progress.ts';
import type { OtherServices } from '../other-services.ts';
import { fileKey } from '../sessions/session-files.ts';
import { isUnresolved, LIFETIME_MILLIS, NEVER, type SessionRecord } from '../sessions/session-store.ts';
import type { WizardStorage } from '../storage.ts';
import { DEPLOYMENT } from './deployment-context.ts';
import { gymActions, gymResult } from './gym-setup.ts';
import { memberActions, memberResult } from './member-onboarding.ts';

const GIVE_UP_AFTER_MILLIS = 12 * 60 * 60 * 1000; // 12 h: the other services store idempotency keys for 24 h

interface DeploymentSagaOptions {
  services: OtherServices;
  storage: WizardStorage;
  files: FileStorage;
  definitions: WizardDefinitions;
  unitOf(): UnitOfWork;
  /** The last deployment of each of these sessions. */
  deploymentsOf(sessionIds: readonly string[]): Promise<Saga[]>;
}

/** The saga that deploys a session: its actions run one after the other. */
export const deploymentSaga = ({
  services,
  storage,
  unitOf,
  deploymentsOf,
  ...rest
}: DeploymentSagaOptions): SagaDefinition => ({
  kind: DEPLOYMENT,
  actions: { ...gymActions(services), ...memberActions({ services, storage, unitOf, deploymentsOf }) },
  forgetsInputs: true,
  giveUpAfterMillis: GIVE_UP_AFTER_MILLIS,
  result: (outputs) => (outputs.gym ? gymResult(outputs) : memberResult(outputs)),
  async onChange(saga, unit) {
    if (isSettled(saga)) await settle(storage, rest, saga, unit);
    else await storage.sessions(unit).notify(saga.subject);
  },
});

/** Changes the session's status and its reservations, in the transaction that ends the saga. */
async function settle(
  storage: WizardStorage,
  { files, definitions }: Pick<DeploymentSagaOptions, 'files' | 'definitions'>,
  saga: Saga,
  unit: UnitOfWork,
): Promise<void> {
  const sessions = storage.sessions(unit);
  const [session] = await sessions.findByIds([saga.subject]);
  // The session was erased with its owner in the meantime.
  if (!session || !(session.status === 'DEPLOYING' || isUnresolved(session))) return;
  const next =
    saga.status === 'DONE' ? deployed(session, saga, definitions[session.kind]) : failed(session, saga);
  if (!(await sessions.replace(next))) throw new Error('The session was changed during its deployment.');
  const removed = session.files.filter((file) => !next.files.includes(file));
  await unit.afterCommit(() =>
    discard(
      files,
      removed.map(({ id }) => fileKey(session.id, id)),
      unit.log,
    ),
  );
  const reservations = storage.reservations(unit);
  // The reservation of the first visit stays, because staff see it in the list of first visits. A slot that was reserved before
  // the member chose to have no first visit is released.
  const hasFirstVisit = saga.actions.some(({ name }) => name === 'slot');
  if (saga.status === 'DONE') await reservations.release(session.id, hasFirstVisit ? 'slot' : undefined);
  // After a failure the reservations stay for 15 minutes, so that the user can correct the session.
  else if (saga.status === 'UNDONE' && !isUnresolved(session))
    await reservations.extend(session.id, new Date(Date.now() + RESERVATION_MILLIS));
  // A SUPER_ADMIN has accepted that some effects stay (ACCEPT).
  else if (saga.status === 'UNDONE') await reservations.release(session.id);
}

/** The deployed session, without personal data: the services to which the data was written store it. */
function deployed(session: SessionRecord, saga: Saga, definition: WizardDefinition): SessionRecord {
  // The gym that was created, or the one to which the member belonged at the deployment.
  const { gymId } = (saga.result ?? {}) as { gymId?: string | null };
  // In a plan of an older version, the action `keep` means that no other service stores body and goals.
  const isOnlyHere = saga.actions.some(({ action }) => action === 'keep');
  const personal = isOnlyHere
    ? []
    : definition.steps.filter(({ keptWhenDeployed: kept }) => kept).map(({ key }) => key);
  return {
    ...session,
    status: 'DEPLOYED',
    gymId: gymId ?? session.gymId,
    data: isOnlyHere ? session.data : keptWhenDeployed(definition, session.data),
    files: session.files.filter(({ step }) => !personal.includes(step)),
    version: session.version + 1,
    updatedAt: new Date(),
  };
}

function failed(session: SessionRecord, saga: Saga): SessionRecord {
  const changed = { ...session, version: session.version + 1, updatedAt: new Date() };
  if (saga.status === 'UNDO_FAILED') return { ...changed, status: 'FAILED', expiresAt: NEVER };
  const expiresAt = session.expiresAt >= NEVER ? new Date(Date.now() + LIFETIME_MILLIS) : session.expiresAt;
  return { ...changed, status: 'FAILED', expiresAt };
}

/**
 * Sets a session to DEPLOYING again if the undoing of its saga is retried, in the transaction of that decision.
 * @throws CONFLICT if the session was changed in the meantime
 */
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
    throw conflict('The session was changed in the meantime; repeat the request.');
}
