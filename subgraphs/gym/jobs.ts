import { announceChallenges } from './challenges/announce-challenges.ts';
import { continueChallenges } from './challenges/continue-challenges.ts';
import { endExpiredVisits } from './check-ins/end-expired-visits.ts';
import { cancelExpiredOrders } from './orders/cancel-expired-orders.ts';

/** The jobs of this service, in addition to the one that removes old rows. */
export const gymJobs = [endExpiredVisits, announceChallenges, continueChallenges, cancelExpiredOrders];
