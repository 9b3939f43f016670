import { PlatformError } from '#server/errors.ts';
import { PERISHABLE, type SessionRecord } from '../sessions/session-store.ts';
import type { WizardDefinition } from './definition.ts';
import { dueOf, firstStepOf } from './progress.ts';

/** Whether it is past its changes: it stays as it was, under the version of its time. */
export const isOfItsTime = (session: SessionRecord, definition: WizardDefinition): boolean =>
  session.definitionVersion !== definition.version && !PERISHABLE.has(session.status);

/**
 * The session under the definition of today: as it is, or with its data migrated version by version.
 * It is stored with the next change. @throws WIZARD_VERSION_UNSUPPORTED where no way leads from its version to this one
 */
export function broughtUpToDate(session: SessionRecord, definition: WizardDefinition): SessionRecord {
  if (session.definitionVersion === definition.version || isOfItsTime(session, definition)) return session;
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
    `This session follows version ${session.definitionVersion} of ${session.kind}, which is now at version ${definition.version} and cannot take it over; cancel it and begin a new one.`,
  );
