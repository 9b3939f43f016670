import { announceChallenges } from './challenges/announce-challenges.ts';
import { countTrainings } from './challenges/count-trainings.ts';
import { continueChallenges } from './challenges/continue-challenges.ts';
import { recountTrainings } from './challenges/recount-trainings.ts';
import { finishClassSessions, markAttendance } from './classes/attendance.ts';
import { mailBooking } from './classes/mail-booking.ts';
import { makeClassSessions } from './classes/make-sessions.ts';
import { endExpiredVisits } from './check-ins/end-expired-visits.ts';
import { collectEvents } from './events/collect-events.ts';
import { cancelExpiredOrders } from './orders/cancel-expired-orders.ts';
import { mailDisabledWebhooks } from './webhooks/mail-disabled-webhooks.ts';
import { sendWebhooks } from './webhooks/send-webhooks.ts';

/** The jobs of this service, in addition to those of every service. */
export const gymJobs = [
  endExpiredVisits,
  announceChallenges,
  collectEvents,
  sendWebhooks,
  mailDisabledWebhooks,
  makeClassSessions,
  finishClassSessions,
  markAttendance,
  mailBooking,
  continueChallenges,
  countTrainings,
  recountTrainings,
  cancelExpiredOrders,
];
