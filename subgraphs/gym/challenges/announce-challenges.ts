import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import { announceEndedChallenges, ANNOUNCED_AT_ONCE } from './ended-challenges.ts';

/** Writes the events of challenges that have reached their end, at most a minute later. */
export const announceChallenges = jobOf<object>()({
  name: 'announce_ended_challenges',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unitOf, signal }) {
    let announced = ANNOUNCED_AT_ONCE;
    while (announced === ANNOUNCED_AT_ONCE && !signal.aborted)
      announced = await announceEndedChallenges(unitOf());
  },
});
