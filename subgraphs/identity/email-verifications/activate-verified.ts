import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { PlatformError } from '#server/errors.ts';
import { jobOf, type Job } from '#server/jobs/job.ts';
import { Audit } from '../audit/audit.ts';
import type { IdentityResources } from '../resources.ts';
import { GymsOfUsers } from '../users/gyms-of-users.ts';
import { Admissions } from './admissions.ts';

type Needed = Pick<IdentityResources, 'references'>;

/** Makes a membership ACTIVE whose user verified their email while the gym service did not answer. */
export const activateVerified: Job<{ userId: string }, Needed> = jobOf<Needed>()({
  name: 'activate_verified',
  payload: z.object({ userId: uuid() }),
  shown: ['userId'],
  maxAttempts: 25,
  async run({ userId }, { unit, resources: { references } }) {
    try {
      await new Admissions(unit, new Audit(unit), new GymsOfUsers(unit, references)).admitLater(userId);
    } catch (error) {
      // The account was deleted.
      if (!(error instanceof PlatformError) || error.code !== 'NOT_FOUND') throw error;
    }
  },
});
