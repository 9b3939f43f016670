import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import { markAll } from './score-marks.ts';

/**
 * Once a day, marks all scores of WORKOUTS and MINUTES challenges that have not ended, so that they are counted again, in case
 * changes of trainings were missed.
 */
export const recountTrainings = jobOf<object>()({
  name: 'recount_trainings',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'day',
  run: (_payload, { unit }) => unit.transaction(() => markAll(unit)),
});
