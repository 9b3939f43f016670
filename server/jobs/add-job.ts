import type { EntityManager } from '@mikro-orm/postgresql';
import { activeTraceparent } from '../observability/tracing.ts';
import type { Job } from './job.ts';

interface AddOptions {
  /** Default: at once. */
  runAt?: Date;
  /**
   * There is at most one waiting job with this key: a further call replaces its payload and its time. A job that is running
   * stays as it is, and another one is added.
   */
  key?: string;
}

/**
 * Adds a job in the open transaction: it runs after the commit, and never if the transaction is rolled back. Without a
 * transaction it is added at once.
 */
export async function addJob<Payload extends object>(
  em: EntityManager,
  { name, payload: shape, maxAttempts }: Pick<Job<Payload, never>, 'name' | 'payload' | 'maxAttempts'>,
  payload: Payload,
  { runAt, key }: AddOptions = {},
): Promise<void> {
  await em.execute(
    `select 1 from graphile_worker.add_job(
       ?, payload => ?::json, run_at => ?::timestamptz, max_attempts => ?, job_key => ?
     )`,
    [
      name,
      JSON.stringify(withTrace(shape.parse(payload))),
      runAt?.toISOString() ?? null,
      maxAttempts,
      key ? `${name} ${key}` : null,
    ],
  );
}

/**
 * The field of a stored payload that continues the trace of the request; only sampled requests add it, and `runJob` removes it.
 * Operators do not see it.
 */
export const TRACE_FIELD = 'traceparent';

function withTrace(payload: object): object {
  const traceparent = activeTraceparent();
  return traceparent === undefined ? payload : { ...payload, [TRACE_FIELD]: traceparent };
}

/** The maximum number of jobs that one statement adds. */
const JOBS_AT_ONCE = 1_000;

/** As `addJob`, for many payloads of one job, without a key and without a later time. */
export async function addJobs<Payload extends object>(
  em: EntityManager,
  { name, payload: shape, maxAttempts }: Pick<Job<Payload, never>, 'name' | 'payload' | 'maxAttempts'>,
  payloads: readonly Payload[],
): Promise<void> {
  for (let start = 0; start < payloads.length; start += JOBS_AT_ONCE)
    await em.execute(
      `select count(graphile_worker.add_job(?, payload => one::json, max_attempts => ?)) from jsonb_array_elements(?::jsonb) as one`,
      [
        name,
        maxAttempts,
        JSON.stringify(
          payloads.slice(start, start + JOBS_AT_ONCE).map((payload) => withTrace(shape.parse(payload))),
        ),
      ],
    );
}

/** Removes the waiting and failed jobs about a user, whose account is being erased. */
export async function forgetJobsAbout(em: EntityManager, userId: string): Promise<void> {
  await em.execute(
    `select 1 from graphile_worker.complete_jobs(array(
       select id from graphile_worker._private_jobs where lower(payload->>'userId') = lower(?)
     ))`,
    [userId],
  );
}
