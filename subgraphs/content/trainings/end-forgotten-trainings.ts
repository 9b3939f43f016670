import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { DAY_MILLIS } from '#server/durations.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { lastCompletedAt } from './entry-sets.ts';
import { computedOf } from './figures.ts';
import { storeFigures } from './training-figures.ts';
import { wholeMinutes } from './training-times.ts';
import { Training } from './training.entity.ts';

/** The maximum number of trainings that one transaction ends, and of transactions in one run. */
const BATCH = 100;
const MAX_BATCHES = 100;

/** Ends trainings that began over a day ago and still run: with their last set, or at their beginning if they have none. */
export const endForgottenTrainings: Job<Record<string, never>> = jobOf<object>()({
  name: 'end_forgotten_trainings',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'hour',
  async run(_payload, { unit, unitOf, signal }) {
    let ended = 0;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      const count = await endSome(unitOf());
      ended += count;
      if (count < BATCH) break;
    }
    if (ended > 0) unit.log.info({ ended }, 'forgotten trainings ended');
  },
});

async function endSome(unit: UnitOfWork): Promise<number> {
  const began = new Date(Date.now() - DAY_MILLIS);
  return unit.transaction(async () => {
    const forgotten = await unit.em.find(
      Training,
      { endedAt: null, startedAt: { $lt: began } },
      { orderBy: { startedAt: 'asc' }, limit: BATCH, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    for (const training of forgotten) {
      const last = lastCompletedAt(training.entries)?.getTime() ?? 0;
      const start = training.startedAt.getTime();
      training.endedAt = new Date(Math.min(Math.max(last, start), start + DAY_MILLIS));
      training.minutes = wholeMinutes(training.startedAt, training.endedAt);
      Object.assign(training, computedOf(training));
      training.version += 1;
      training.updatedAt = new Date();
    }
    await unit.em.flush();
    await storeFigures(unit, forgotten);
    return forgotten.length;
  });
}
