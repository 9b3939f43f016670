import { hash, verify } from '@node-rs/argon2';
import { atMost } from '#server/concurrency.ts';

/** OWASP's parameters for argon2id: 19 MiB, two passes, one lane; about 20 ms. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * Hashes and verifies passwords with argon2id, the default of @node-rs/argon2.
 * It hashes two at a time: hashing runs in libuv's four threads, which file access and DNS need as well, and a burst of
 * log-ins then takes at most 38 MiB.
 */
export class Passwords {
  private readonly slot = atMost(2, { waiting: 500 });
  private readonly dummyHash = this.slot(() => hash(crypto.randomUUID(), COST));

  hash(password: string): Promise<string> {
    return this.slot(() => hash(password, COST));
  }

  /** Takes the same time if there is no hash to compare with: the time must not reveal which addresses exist. */
  async matches(password: string, passwordHash: string | null | undefined): Promise<boolean> {
    const compared = passwordHash ?? (await this.dummyHash);
    const matches = await this.slot(() => verify(compared, password));
    return matches && typeof passwordHash === 'string';
  }
}
