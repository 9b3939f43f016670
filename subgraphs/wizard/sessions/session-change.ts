import type { z } from 'zod';
import { conflict, invalid, PlatformError } from '#server/errors.ts';
import type { StepData, WizardDefinition } from '../definitions/definition.ts';
import { dueOf, nextStep, stepOf } from '../definitions/progress.ts';
import { isUnresolved, PERISHABLE, statusOf, type SessionRecord } from './session-store.ts';
import type { UpdateWizardSessionShape } from './sessions.shapes.ts';

/** NUL and lone surrogates, as JSON writes them: PostgreSQL takes neither. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** Whoever walks through data deeper than any form is (a database, a serialiser) may run out of stack. */
const MAX_DEPTH = 20;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

/** What a session may hold altogether; many times what an honest one does. */
const MAX_DATA_BYTES = 256 * 1024;

/** The session with the change in it. A failed one that is corrected may be deployed again. */
export function changedBy(
  session: SessionRecord,
  change: z.infer<typeof UpdateWizardSessionShape>,
  definition: WizardDefinition,
): SessionRecord {
  requireInWork(session);
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

/** @throws VALIDATION_FAILED for what no database takes, PAYLOAD_TOO_LARGE for too much of it */
export function withData(
  session: SessionRecord,
  data: StepData,
  definition: WizardDefinition,
): SessionRecord {
  if (isDeeper(data, MAX_DEPTH)) throw invalid('data', `expected at most ${MAX_DEPTH} levels of nesting`);
  const text = JSON.stringify(data);
  if (UNSTORABLE.test(text)) throw invalid('data', 'expected text without NUL and without half characters');
  if (Buffer.byteLength(text) > MAX_DATA_BYTES)
    throw new PlatformError(
      'PAYLOAD_TOO_LARGE',
      `A wizard session holds at most ${MAX_DATA_BYTES / 1024} KiB of data; leave some of it out.`,
    );
  return { ...session, data, status: dueOf(definition, data).length === 0 ? 'READY' : 'DRAFT' };
}

/** @throws CONFLICT for one that is deployed, being deployed, cancelled or expired, or that a SUPER_ADMIN must resolve */
export function requireInWork(session: SessionRecord): void {
  if (isUnresolved(session))
    throw conflict(
      'Something that the deployment of this wizard session has made could not be taken back; a SUPER_ADMIN resolves it first (POST /:sessionId/deployment/resolve).',
    );
  const status = statusOf(session);
  if (!PERISHABLE.has(status))
    throw conflict(`This wizard session is ${status} and can no longer be changed; begin a new one.`);
}

/** Keys of `change` over those of `saved`; null removes. */
const merged = (
  saved: Record<string, unknown> | undefined,
  change: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...saved, ...change }).filter(([, value]) => value !== null));
