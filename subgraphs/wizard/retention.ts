import { DAY_MILLIS } from '#server/durations.ts';
import { unusedFiles } from '#server/files/unused-files.ts';
import type { RetentionRule } from '#server/retention/retention.ts';
import { removeReservations } from './availability/retention.ts';
import {
  removeAbandonedSessions,
  removeDeployedOnboardings,
  SESSIONS_PER_BATCH,
  usedSessionFiles,
  type SessionRetention,
} from './sessions/retention.ts';

/** Expired and cancelled sessions are removed this long after their `expiresAt`. Until then they can still be read. */
const ABANDONED_MILLIS = 30 * DAY_MILLIS;
/** First visits are removed this long after the visit. Until then staff can see them. */
const FIRST_VISIT_MILLIS = 90 * DAY_MILLIS;

/** Removes expired reservations, past first visits, and sessions that are no longer needed, with their files. */
export const wizardRetention = (parts: SessionRetention): readonly RetentionRule[] => [
  // `kept` applies to first visits, which are in this table, too. Other reservations are removed as soon as they expire.
  { what: 'reservations', kept: { millis: FIRST_VISIT_MILLIS }, run: removeReservations(parts.storage) },
  {
    what: 'wizard_sessions',
    kept: { millis: ABANDONED_MILLIS },
    batchRows: SESSIONS_PER_BATCH,
    run: removeAbandonedSessions(parts),
  },
  {
    what: 'deployed_onboardings',
    kept: 'retentionWizardDays',
    batchRows: SESSIONS_PER_BATCH,
    run: removeDeployedOnboardings(parts),
  },
  // Not for sessions in memory: the file storage may also have files of another process, whose sessions are unknown here.
  ...(parts.storage.isInMemory ? [] : [unusedFiles(parts.files, usedSessionFiles(parts.storage))]),
];
