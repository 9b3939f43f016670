import { z } from 'zod';
import { jobOf, type AnyJob } from './job.ts';
import { scheduledAmong } from './schedule.ts';

const JOBS_PER_RUN = 10_000;

/**
 * Removes jobs that failed for good: 30 days later, so that an operator can look at them and retry them. Of a scheduled job only
 * the last failure is kept, because its next run does the work of the failed one. The 30 days begin at
 * `run_at`, up to 6 h after the failure, because the time of the failure is not stored.
 */
export const removeFailedJobs = (jobs: readonly AnyJob[]) =>
  jobOf<object>()({
    name: 'remove_failed_jobs',
    payload: z.object({}),
    maxAttempts: 3,
    schedule: 'hour',
    async run(_payload, { unit }) {
      await unit.em.execute(
        `select 1 from graphile_worker.complete_jobs(array(
           select job.id from graphile_worker._private_jobs as job
           where job.attempts >= job.max_attempts and job.locked_at is null and (
             job.run_at < now() - interval '30 days'
             or job.task_id = any(array(
               select task.id from graphile_worker._private_tasks as task where task.identifier in (?)
             )) and exists (
               select 1 from graphile_worker._private_jobs as newer
               where newer.task_id = job.task_id and newer.id > job.id
               and newer.attempts >= newer.max_attempts and newer.locked_at is null
             )
           )
           limit ${JOBS_PER_RUN}
         ))`,
        [['remove_failed_jobs', ...scheduledAmong(jobs).map(({ name }) => name)]],
      );
    },
  });
