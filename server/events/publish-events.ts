import { z } from 'zod';
import { jobOf } from '../jobs/job.ts';
import type { EventLog } from './event-log.ts';

/**
 * Publishes the events of processes that were killed between a commit and its publication. It runs at every start and every
 * minute; a further publication or a read of the feed publishes them earlier.
 */
export const publishEvents = (events: EventLog) =>
  jobOf<object>()({
    name: 'publish_events',
    payload: z.object({}),
    maxAttempts: 3,
    schedule: 'minute',
    run: () => events.publish(),
  });
