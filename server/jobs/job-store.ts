import type pg from 'pg';

/**
 * The statements over the tables of Graphile Worker. Its version is pinned, because it may change its private tables
 * (`_private_...`) in any release; the tests of jobs in tests/server run every statement.
 */

/** How long the jobs of a worker stay locked after the last sign of life of its process. */
const LOST_AFTER = "interval '20 seconds'";

/** Renews the locks of a worker's running jobs: a sign of life for the other replicas. */
export const renewLocks = (pool: pg.Pool, workerId: string): Promise<unknown> =>
  pool.query('update graphile_worker._private_jobs set locked_at = now() where locked_by = $1', [workerId]);

/**
 * Releases the jobs of workers that have shown no sign of life: their processes were killed, or their machines are cut off.
 * Graphile Worker itself would wait for 4 h.
 * @returns the number of these workers
 */
export async function releaseLostJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ worker: string }>(
    `select distinct locked_by as worker from graphile_worker._private_jobs where locked_at < now() - ${LOST_AFTER}`,
  );
  if (rows.length > 0)
    await unlock(
      pool,
      rows.map(({ worker }) => worker),
    );
  return rows.length;
}

/** Releases the jobs of these workers, and notifies the workers of all replicas that there are jobs. */
export const unlock = (pool: pg.Pool, workerIds: readonly string[]): Promise<unknown> =>
  pool.query(
    `with unlocked as (select graphile_worker.force_unlock_workers($1::text[]))
     select pg_notify('jobs:insert', '{"count":1}') from unlocked`,
    [workerIds],
  );

interface PendingJobs {
  readonly name: string;
  readonly jobs: number;
  /** How long ago the time of the oldest due job came; 0 if no job is due. */
  readonly oldestDueSeconds: number;
}

/** Counts the waiting jobs by name. The count is fast, because its condition has an index that includes `task_id`. */
export async function countPending(pool: pg.Pool): Promise<PendingJobs[]> {
  const { rows } = await pool.query<PendingJobs>(
    `select task.identifier as name, waiting.jobs, waiting."oldestDueSeconds" from (
       select task_id, count(*)::int as jobs,
         greatest(0, extract(epoch from now() - min(run_at)))::double precision as "oldestDueSeconds"
       from graphile_worker._private_jobs where is_available group by task_id
     ) as waiting join graphile_worker._private_tasks as task on task.id = waiting.task_id`,
  );
  return rows;
}

/** Makes the running attempt of a job its last one. If an operator retries the job, it has all of its attempts again. */
export const endAttempts = (pool: pg.Pool, jobId: string): Promise<unknown> =>
  pool.query('update graphile_worker._private_jobs set max_attempts = attempts where id = $1::bigint', [
    jobId,
  ]);
