import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import { markAll } from './score-marks.ts';

/** Counts all scores of running WORKOUTS and MINUTES challenges once a day, in case that changes of trainings were missed. */
export const recountTrainings = jobOf<object>()({
  name: 'recount_trainings',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'day',
  run: (_payload, { unit }) => unit.transaction(() => markAll(unit)),
});
