import { z } from 'zod';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/**
 * The request of an import renews the lease of the import every 5 s. If it has not done so for this long, the import counts as
 * interrupted: its process was killed, or cannot write.
 */
export const LEASE_SECONDS = 15;
/** The SQL condition of an interrupted import, by the clock of the database. */
export const LEASE_EXPIRED = `renewed_at < now() - interval '${LEASE_SECONDS} seconds'`;

/** The maximum number of imports that one statement ends. */
const BATCH = 1_000;

/** Ends imports whose process was killed before it could end them. Their entries stay, and the imports can be repeated. */
export const endInterruptedImports: Job<Record<string, never>> = jobOf<object>()({
  name: 'end_interrupted_imports',
  payload: z.object({}),
  maxAttempts: 3,
  schedule: 'minute',
  async run(_payload, { unit, signal }) {
    let ended = 0;
    for (;;) {
      const count = await endSome(unit);
      ended += count;
      if (count < BATCH || signal.aborted) break;
    }
    if (ended > 0) unit.log.info({ ended }, 'interrupted imports ended');
  },
});

async function endSome(unit: UnitOfWork): Promise<number> {
  const ended = await unit.em.execute<unknown[]>(
    `update food_log_import set status = 'FAILED', finished_at = now() where id in (
       select id from food_log_import where status = 'RUNNING' and ${LEASE_EXPIRED}
       order by renewed_at limit ${BATCH} for update skip locked
     ) returning id`,
  );
  return ended.length;
}
