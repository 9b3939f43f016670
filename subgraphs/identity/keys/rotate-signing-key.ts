import { z } from 'zod';
import { jobOf } from '#server/jobs/job.ts';
import type { KeyRing } from './key-ring.ts';

/** Creates the next signing key when it is due. The other replicas read it within a second. */
export const rotateSigningKey = jobOf<{ keyRing: KeyRing }>()({
  name: 'rotate_signing_key',
  payload: z.object({}),
  maxAttempts: 5,
  schedule: 'hour',
  run: (_payload, { resources: { keyRing } }) => keyRing.rotateIfDue(),
});
