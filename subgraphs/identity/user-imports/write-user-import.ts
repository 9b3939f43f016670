import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { addJob } from '#server/jobs/add-job.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import type { IdentityResources } from '../resources.ts';
import { GymsOfUsers } from '../users/gyms-of-users.ts';
import { UserImportWriter } from './user-import-writer.ts';

/** After this time the job adds itself again, so that a long import does not delay other jobs. */
const SLICE_MILLIS = 2_000; // 2 s

type Needed = Pick<IdentityResources, 'references'>;
const defineJob = jobOf<Needed>();

/** Writes the stored lines of an import as accounts. */
export const writeUserImport: Job<{ importId: string }, Needed> = defineJob({
  name: 'user_import',
  payload: z.object({ importId: uuid() }),
  shown: ['importId'],
  maxAttempts: 10,
  async run({ importId }, { unitOf, signal, resources }) {
    const { references } = resources;
    const endsAt = performance.now() + SLICE_MILLIS;
    for (;;) {
      const unit = unitOf();
      const writer = new UserImportWriter(unit, new GymsOfUsers(unit, references));
      if (!(await writer.writeNext(importId))) return;
      if (signal.aborted || performance.now() >= endsAt)
        return addJob(unitOf().em, writeUserImport, { importId });
    }
  },
});
