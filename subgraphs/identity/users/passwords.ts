import { WorkerPool } from '#server/workers/worker-pool.ts';
import type { PasswordJob } from './password-worker.ts';

/**
 * All instances in the process share two threads, or one if there are only two processors, so that a burst of log-ins takes
 * at most 38 MiB. A thread hashes about 50 passwords a second. At most 100 passwords wait for each thread, so that a
 * password waits at most about 2 s, or 8 s on a slow machine: most clients give up after 10 s.
 */
const threads = new WorkerPool<PasswordJob, string | boolean>(
  new URL('password-worker.ts', import.meta.url),
  {
    name: 'passwords',
    kind: 'thread',
    mostHelpers: 2,
    waitingForEach: 100,
  },
);

/** Hashes and verifies passwords with argon2id, in threads of their own. @throws SERVER_BUSY if too many passwords wait */
export class Passwords {
  private dummyHash: Promise<string> | undefined;

  constructor() {
    this.dummy().catch(() => undefined); // `matches` tries again
  }

  async hash(password: string): Promise<string> {
    return (await threads.run({ password })) as string;
  }

  /** Takes the same time if there is no hash to compare with: the time must not reveal which addresses exist. */
  async matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
    const hash = passwordHash ?? (await this.dummy());
    const matches = await threads.run({ password, hash });
    return matches === true && typeof passwordHash === 'string';
  }

  private dummy(): Promise<string> {
    this.dummyHash ??= this.hash(crypto.randomUUID()).catch((error: unknown) => {
      this.dummyHash = undefined;
      throw error;
    });
    return this.dummyHash;
  }
}
