import { WorkerPool } from '#server/workers/worker-pool.ts';
import type { PasswordJob } from './password-worker.ts';

/**
 * All `Passwords` in the process share two threads, or one if there are at most two processors, so that many log-ins at once
 * take at most 38 MiB. A thread hashes about 50 passwords a second. At most 100 passwords wait for each thread, so that a
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
    this.dummy().catch(() => undefined); // if it fails, `matches` computes the hash again
  }

  async hash(password: string): Promise<string> {
    return (await threads.run({ password })) as string;
  }

  /**
   * Whether the hash is that of the password. If there is no hash, the result is false after the same time, because the time
   * must not reveal which emails have an account.
   */
  async matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
    const hash = passwordHash ?? (await this.dummy());
    const matches = await threads.run({ password, hash });
    return matches === true && typeof passwordHash === 'string';
  }

  /** A hash that takes as long to compare as that of an account. */
  private dummy(): Promise<string> {
    this.dummyHash ??= this.hash(crypto.randomUUID()).catch((error: unknown) => {
      this.dummyHash = undefined;
      throw error;
    });
    return this.dummyHash;
  }
}
