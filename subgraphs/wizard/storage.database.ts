import type { Notifications } from '#server/database/notifications.ts';
import { databaseReservationStore } from './availability/reservation-store.database.ts';
import { databaseSessionStore, SESSION_CHANNEL } from './sessions/session-store.database.ts';
import type { WizardStorage } from './storage.ts';

/** Stores sessions and reservations in `platform_wizard`; `notifications` must listen to SESSION_CHANNEL. */
export const databaseStorage = (notifications: Notifications): WizardStorage => ({
  isInMemory: false,
  sessions: databaseSessionStore,
  reservations: databaseReservationStore,
  transaction: (unit, work) => unit.transaction(work),
  onSessionChange: (listener) => notifications.on(SESSION_CHANNEL, listener),
});
