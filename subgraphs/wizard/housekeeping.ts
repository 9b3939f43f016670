import type { UnitOfWork } from '#server/unit-of-work.ts';
import { removeReservations } from './availability/retention.ts';
import {
  removeAbandonedSessions,
  removeDeployedOnboardings,
  type SessionRetention,
} from './sessions/retention.ts';

const DAY_MILLIS = 24 * 60 * 60 * 1000;
/** How long after its time a session that came to nothing can still be read. */
const ABANDONED_DAYS = 30;
const DEPLOYED_ONBOARDING_DAYS = 365;
const FIRST_VISIT_DAYS = 90;

/** Removes reservations that are over, and sessions that nobody needs any more, with all that was uploaded into them. */
export async function purge(unit: UnitOfWork, parts: SessionRetention): Promise<void> {
  await removeReservations(parts.storage)(unit, daysAgo(FIRST_VISIT_DAYS));
  await removeAbandonedSessions(parts)(unit, daysAgo(ABANDONED_DAYS));
  await removeDeployedOnboardings(parts)(unit, daysAgo(DEPLOYED_ONBOARDING_DAYS));
}

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MILLIS);
