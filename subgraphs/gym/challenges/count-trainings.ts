import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { jobOf } from '#server/jobs/job.ts';
import { BATCH, TrainingScores, type CountTrainings } from './training-scores.ts';

/**
 * Counts the marked scores. It runs after each change that marks scores. It also runs every minute, for marks that an earlier
 * run has left, and for those whose time has come.
 */
export const countTrainings = jobOf<{ countTrainings: CountTrainings }>()({
  name: 'count_trainings',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit, unitOf, resources, signal }) {
    try {
      let counted = BATCH;
      while (counted === BATCH && !signal.aborted)
        counted = await new TrainingScores(unitOf(), resources.countTrainings).countDue();
    } catch (error) {
      // The content service does not answer. The marks stay, and the next run counts their scores.
      if (!(error instanceof PlatformError)) throw error;
      unit.log.debug({ err: error }, 'scores cannot be counted now');
    }
  },
});
