import { announceChallenges } from './challenges/announce-challenges.ts';
import { finishClassSessions, markAttendance } from './classes/attendance.ts';
import { mailBooking } from './classes/mail-booking.ts';
import { makeClassSessions } from './classes/make-sessions.ts';
import { endExpiredVisits } from './check-ins/end-expired-visits.ts';

/** The jobs of this service, in addition to the one that removes old rows. */
export const gymJobs = [
  endExpiredVisits,
  announceChallenges,
  makeClassSessions,
  finishClassSessions,
  markAttendance,
  mailBooking,
];
