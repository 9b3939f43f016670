import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { EventCollector } from './event-collector.ts';

/**
 * Collects the events of the other services at each start and every minute, also if the collectors' own loops have failed.
 * Usually the loops have already collected everything.
 */
export const collectEvents = jobOf<{ collector: Pick<EventCollector, 'collectNow'> }>()({
  name: 'collect_events',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit, resources: { collector }, signal }) {
    try {
      await collector.collectNow(signal);
    } catch (error) {
      // The collector logs that a service is down, and the next run tries it again; further attempts would add nothing.
      if (!(error instanceof PlatformError) && !signal.aborted) throw error;
      unit.log.debug({ err: error }, 'events of a service cannot be collected now');
    }
  },
});
