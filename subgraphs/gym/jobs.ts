import { announceChallenges } from './challenges/announce-challenges.ts';
import { endExpiredVisits } from './check-ins/end-expired-visits.ts';

/** The jobs of this service, in addition to those of every service. */
export const gymJobs = [endExpiredVisits, announceChallenges];
