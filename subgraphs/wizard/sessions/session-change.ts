import type { z } from 'zod';
import { conflict, invalid, PlatformError } from '#server/errors.ts';
import { EXPECTED_STORABLE } from '#server/shapes.ts';
import type { StepData, WizardDefinition } from '../definitions/definition.ts';
import { dueOf, nextStep, stepOf } from '../definitions/progress.ts';
import { canChange, isUnresolved, statusOf, type SessionRecord } from './session-store.ts';
import type { UpdateWizardSessionShape } from './sessions.shapes.ts';

/** Finds NUL and unpaired surrogates in JSON text, which PostgreSQL cannot store. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** The deepest nesting of data. No form needs more, and recursive code, such as a serialiser, could overflow its stack. */
const MAX_DEPTH = 20;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** The maximum size of the data of one session; many times more than a real session has. */
const MAX_DATA_BYTES = 256 * 1024;

/**
 * The session after a change. A failed session that is corrected can be deployed again.
 * @throws CONFLICT as `requireEditable`
 */
export function changedBy(
  session: SessionRecord,
  change: z.infer<typeof UpdateWizardSessionShape>,
  definition: WizardDefinition,
): SessionRecord {
  requireEditable(session);
  const step = stepOf(definition, change.step ?? session.currentStep, 'step');
  const data = change.data
    ? { ...session.data, [step.key]: merged(session.data[step.key], change.data) }
    : session.data;
  return withData(
    {
      ...session,
      currentStep: nextStep(definition, session.currentStep, change.currentStep ?? undefined, data),
    },
    data,
    definition,
  );
}

/**
 * The session with this data and its new status.
 * @throws VALIDATION_FAILED for data that cannot be stored, PAYLOAD_TOO_LARGE for too much data
 */
export function withData(
  session: SessionRecord,
  data: StepData,
  definition: WizardDefinition,
): SessionRecord {
  if (isDeeper(data, MAX_DEPTH)) throw invalid('data', `expected at most ${MAX_DEPTH} levels of nesting`);
  const text = JSON.stringify(data);
  if (UNSTORABLE.test(text)) throw invalid('data', EXPECTED_STORABLE);
  if (Buffer.byteLength(text) > MAX_DATA_BYTES)
    throw new PlatformError(
      'PAYLOAD_TOO_LARGE',
      `A wizard session may have at most ${MAX_DATA_BYTES / 1024} KiB of data; leave some of it out.`,
    );
  return { ...session, data, status: dueOf(definition, data).length === 0 ? 'READY' : 'DRAFT' };
}

/**
 * @throws CONFLICT for a session that is deployed, being deployed, cancelled or expired, or that a SUPER_ADMIN must resolve
 */
export function requireEditable(session: SessionRecord): void {
  if (isUnresolved(session))
    throw conflict(
      'The deployment of this wizard session could not be fully undone; a SUPER_ADMIN must resolve it first (POST /:sessionId/deployment/resolve).',
    );
  if (!canChange(session))
    throw conflict(
      `This wizard session is ${statusOf(session)} and can no longer be changed; begin a new one.`,
    );
}

/** Merges `change` into `saved`; null removes a key. */
const merged = (
  saved: Record<string, unknown> | undefined,
  change: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...saved, ...change }).filter(([, value]) => value !== null));
