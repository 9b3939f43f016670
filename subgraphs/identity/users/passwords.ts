import { WorkerPool } from '#server/workers/worker-pool.ts';
import type { PasswordJob } from './password-worker.ts';

/**
 * All instances in the process share two threads, so that a burst of log-ins takes at most 38 MiB, and 100 are hashed a
 * second. 200 wait at most, for 2 s or, on a slow machine, 8 s: most clients give up after 10 s.
 */
const threads = new WorkerPool<PasswordJob, string | boolean>(
  new URL('password-worker.ts', import.meta.url),
  {
    kind: 'thread',
    helpers: 2,
    waiting: 200,
  },
);

/** Hashes and verifies passwords with argon2id, in threads of their own. @throws SERVER_BUSY if too many passwords wait */
export class Passwords {
  private readonly dummyHash = this.hash(crypto.randomUUID());

  async hash(password: string): Promise<string> {
    return (await threads.run({ password })) as string;
  }

  /** Takes the same time if there is no hash to compare with: the time must not reveal which addresses exist. */
  async matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
    const hash = passwordHash ?? (await this.dummyHash);
    const matches = await threads.run({ password, hash });
    return matches === true && typeof passwordHash === 'string';
  }
}
