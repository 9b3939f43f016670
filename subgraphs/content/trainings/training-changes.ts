import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** The data of the internal events that this aggregate writes; `userId` is null once the account is deleted. */
export const trainingEvents = {
  'trainings.changed': z.object({ userId: uuid().nullable() }),
} as const;

/**
 * Writes an event for each user with a training whose times may have changed, in the transaction of the change. The gym service
 * then reads `TrainingCounts`. The event has no figures, so an event that is repeated or late does no harm. After a lost one, the
 * scores are corrected when all of them are counted again, once a day.
 */
export const recordChangedTrainings = (unit: UnitOfWork, userIds: readonly string[]): Promise<void> =>
  recordEvents(
    unit,
    [...new Set(userIds)].map((userId) => ({
      type: 'trainings.changed' as const,
      gymId: null,
      subject: `trainings/${userId}`,
      data: { userId },
    })),
  );
