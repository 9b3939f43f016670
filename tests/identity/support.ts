import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { mailsIn } from '../support/outbox.ts';
import type { TestPlatform } from '../support/platform.ts';

/** The mails to an address in the outbox, the oldest first. */
export async function mailsTo(platform: TestPlatform, email: string): Promise<string[]> {
  return (await mailsIn(platform.dataDir)).filter((mail) => mail.includes(`To: ${email}`));
}

/** The token of the `count`-th mail to an address, among the mails by which a user sets a password. */
export const mailedToken = (platform: TestPlatform, email: string, count = 1): Promise<string> =>
  tokenOf(platform, email, count, (mail) => !isVerification(mail));

/** The token of the `count`-th mail that asks to verify an address. */
export const verificationToken = (platform: TestPlatform, email: string, count = 1): Promise<string> =>
  tokenOf(platform, email, count, isVerification);

export const isVerification = (mail: string): boolean => mail.includes('Please confirm your email address');

const tokenOf = (
  platform: TestPlatform,
  email: string,
  count: number,
  fits: (mail: string) => boolean,
): Promise<string> =>
  eventually(async () => {
    const mails = (await mailsTo(platform, email)).filter(fits);
    return /^Token: ([\w-]+)\r?$/m.exec(mails[count - 1] ?? '')?.[1];
  });

/** Input for the registration of a new user. */
export const someone = (fields: object = {}) => ({
  email: `user-${randomUUID()}@example.test`,
  password: 'a-good-password',
  displayName: 'Somebody',
  ...fields,
});

/** Registers by REST, and returns the whole answer. */
export const register = (platform: TestPlatform, body: object, headers = {}) =>
  platform.rest('identity', 'POST', '/auth/register', { body, headers });

/** Reads the token's user by REST, and returns the whole answer. */
export const me = (platform: TestPlatform, token: string) =>
  platform.rest('identity', 'GET', '/auth/me', { token });

export interface Tokens {
  token: string;
  refreshToken: string;
}

/** Logs in by REST, and returns the body of the answer. */
export async function loggedIn(
  platform: TestPlatform,
  { email, password }: { email: string; password: string },
): Promise<Tokens> {
  const { status, body } = await platform.rest('identity', 'POST', '/auth/login', {
    body: { email, password },
  });
  if (status !== 200) throw new Error(`log-in failed: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/**
 * Locks the row of an account while `work` starts requests that need this row. `waiting(2)` resolves once two
 * statements wait for a lock. When `work` has returned, they continue in the order in which they began to wait.
 */
export async function holdingAccount<Result>(
  platform: TestPlatform,
  userId: string,
  work: (waiting: (count: number) => Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  const HOLD = 'select pg_sleep(60) from (select id from user_account where id = $1 for update) as held';
  const activity = 'from pg_stat_activity where datname = current_database()';
  const held = platform.sql('identity', HOLD, [userId]).catch(() => undefined); // ends when it is cancelled
  const count = async (condition: string) =>
    (await platform.sql('identity', `select 1 ${activity} and ${condition}`)).length;
  try {
    await eventually(async () => (await count(`wait_event = 'PgSleep'`)) === 1);
    return await work((expected) =>
      eventually(async () => (await count(`wait_event_type = 'Lock'`)) >= expected),
    );
  } finally {
    await platform.sql('identity', `select pg_cancel_backend(pid) ${activity} and wait_event = 'PgSleep'`);
    await held;
  }
}
