import { hashSync, verifySync } from '@node-rs/argon2';
import { serveJobs } from '#server/workers/serve-jobs.ts';

/** OWASP's parameters for argon2id, the default of @node-rs/argon2: 19 MiB, two passes, one lane; about 20 ms. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** With a `hash`, the result is whether it is the hash of the password; without one, the result is the hash of the password. */
export interface PasswordJob {
  readonly password: string;
  readonly hash?: string;
}

serveJobs(({ password, hash }: PasswordJob): string | boolean =>
  hash === undefined ? hashSync(password, COST) : verifySync(hash, password),
);
