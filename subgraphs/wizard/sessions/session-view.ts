import { PlatformError } from '#server/errors.ts';
import type { ActionRecord, Saga } from '#server/saga/saga.ts';
import type { WizardDefinition } from '../definitions/definition.ts';
import { progressOf, progressWhenDeployed, type StepState } from '../definitions/progress.ts';
import { migratedSession, isFinal } from '../definitions/versions.ts';
import { statusOf, type SessionRecord } from './session-store.ts';
import type { WizardDeploymentShape, WizardSessionShape } from './sessions.shapes.ts';

/** A session in the form of the API. */
export function present(
  session: SessionRecord,
  definition: WizardDefinition,
  deployment: Saga | null,
  publicUrl: string,
): WizardSessionShape {
  return {
    id: session.id,
    kind: session.kind,
    status: statusOf(session),
    definitionVersion: session.definitionVersion,
    currentStep: session.currentStep,
    steps:
      session.definitionVersion !== definition.version
        ? stepsAsStored(session)
        : session.status === 'DEPLOYED'
          ? progressWhenDeployed(definition, session.data)
          : progressOf(definition, session.data),
    files: session.files.map((file) => ({ ...file, url: fileUrl(publicUrl, session.id, file.id) })),
    version: session.version,
    createdBy: session.createdBy,
    gymId: session.gymId,
    expiresAt: session.expiresAt.toISOString(),
    deployment: deployment && presentDeployment(deployment),
  };
}

export const fileUrl = (publicUrl: string, sessionId: string, fileId: string): string =>
  `${publicUrl}/${sessionId}/files/${fileId}`;

/** For lists: a session that cannot be migrated is returned as it is stored, so that the list does not fail. */
export function migratedOrAsStored(session: SessionRecord, definition: WizardDefinition): SessionRecord {
  if (isFinal(session, definition)) return session;
  try {
    return migratedSession(session, definition);
  } catch (error) {
    if (error instanceof PlatformError) return session;
    throw error;
  }
}

/** The steps of a session whose version has no definition any more, so only the data of each step is known. */
const stepsAsStored = ({ data }: SessionRecord): StepState[] =>
  Object.entries(data).map(([key, saved]) => ({
    key,
    title: key,
    status: 'COMPLETE',
    data: saved,
    errors: [],
    currentlyDue: [],
  }));

function presentAction({
  name,
  service,
  status,
  attempts,
  error,
  undoError,
  output,
}: ActionRecord): WizardDeploymentShape['actions'][number] {
  const reason = error ?? undoError;
  return {
    name,
    service,
    status,
    attempts,
    ...(reason && { error: reason }),
    ...(undoError && { undoError }),
    result: output ?? null,
  };
}

const presentDeployment = (saga: Saga): WizardDeploymentShape => ({
  status: saga.status,
  startedAt: saga.startedAt.toISOString(),
  finishedAt: saga.finishedAt?.toISOString() ?? null,
  actions: saga.actions.map(presentAction),
  result: (saga.result as WizardDeploymentShape['result']) ?? null,
  resolution: saga.undoing?.resolutions.at(-1) ?? null,
});
