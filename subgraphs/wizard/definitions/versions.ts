import { PlatformError } from '#server/errors.ts';
import { EXPIRING, type SessionRecord } from '../sessions/session-store.ts';
import type { WizardDefinition } from './definition.ts';
import { dueOf, firstStepOf } from './progress.ts';

/** Whether the session has another version of the definition and can no longer change. Such a session is not migrated. */
export const isFinal = (session: SessionRecord, definition: WizardDefinition): boolean =>
  session.definitionVersion !== definition.version && !EXPIRING.has(session.status);

/**
 * The session in the current version of its definition: unchanged, or with its data migrated version by version. The result
 * is stored with the next change.
 * @throws WIZARD_VERSION_UNSUPPORTED if the session cannot be migrated to the current version
 */
export function migratedSession(session: SessionRecord, definition: WizardDefinition): SessionRecord {
  if (session.definitionVersion === definition.version || isFinal(session, definition)) return session;
  if (session.definitionVersion > definition.version) throw unsupported(session, definition);
  let { data } = session;
  for (let version = session.definitionVersion; version < definition.version; version += 1) {
    const migrate = definition.migrations?.[version];
    if (!migrate) throw unsupported(session, definition);
    data = migrate(structuredClone(data));
  }
  const isKnown = definition.steps.some(({ key }) => key === session.currentStep);
  return {
    ...session,
    data,
    definitionVersion: definition.version,
    currentStep: isKnown ? session.currentStep : firstStepOf(definition).key,
    status: session.status === 'FAILED' ? 'FAILED' : dueOf(definition, data).length === 0 ? 'READY' : 'DRAFT',
  };
}

const unsupported = (session: SessionRecord, definition: WizardDefinition) =>
  new PlatformError(
    'WIZARD_VERSION_UNSUPPORTED',
    `This session follows version ${session.definitionVersion} of ${session.kind}, which is now at version ${definition.version} and cannot convert the session; cancel it and begin a new one.`,
  );
