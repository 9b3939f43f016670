import type { RetentionRule } from '#server/retention/retention.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { removeReservations } from './availability/retention.ts';
import {
  removeAbandonedSessions,
  removeDeployedOnboardings,
  SESSIONS_PER_BATCH,
  type SessionRetention,
} from './sessions/retention.ts';

/** How long an expired or cancelled session can still be read. */
const ABANDONED_MILLIS = 30 * DAY_MILLIS;
/** How long staff can see a past first visit. */
const FIRST_VISIT_MILLIS = 90 * DAY_MILLIS;

/** Removes expired reservations, and sessions that are no longer needed, with their files. */
export const wizardRetention = (parts: SessionRetention): readonly RetentionRule[] => [
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
];
