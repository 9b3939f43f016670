import { createHash } from 'node:crypto';
import type { CronItem } from 'graphile-worker';
import { DAY_MILLIS, HOUR_MILLIS } from '../durations.ts';
import type { AnyJob, Schedule } from './job.ts';

/** The interval of each schedule in milliseconds. */
export const INTERVAL_MILLIS: Readonly<Record<Schedule, number>> = {
  minute: 60_000,
  hour: HOUR_MILLIS,
  day: DAY_MILLIS,
};

export interface ScheduledJob extends AnyJob {
  readonly schedule: Schedule;
}

export const scheduledAmong = (jobs: readonly AnyJob[]): ScheduledJob[] =>
  jobs.filter((job): job is ScheduledJob => job.schedule !== undefined);

/** The key of a scheduled job: if a run still waits when the next one is due, the next one replaces it. */
export const scheduleKeyOf = ({ name }: Pick<AnyJob, 'name'>): string => `${name} scheduled`;

/** When a job is due, for Graphile Worker. The times of different jobs differ, so that not all of them run at once. */
export function cronItemOf(job: ScheduledJob): CronItem {
  const { name, schedule, maxAttempts } = job;
  const [first, second] = createHash('sha256').update(name).digest();
  const minute = (first ?? 0) % 60;
  const hour = (second ?? 0) % 24;
  const match = { minute: '* * * * *', hour: `${minute} * * * *`, day: `${minute} ${hour} * * *` }[schedule];
  return {
    task: name,
    identifier: name,
    match,
    options: {
      // A run that was due while the database did not work follows later. A job of every minute does not need this: its next
      // run is soon.
      backfillPeriod: schedule === 'minute' ? 0 : INTERVAL_MILLIS[schedule],
      maxAttempts,
      jobKey: scheduleKeyOf(job),
      jobKeyMode: 'replace',
    },
  };
}
