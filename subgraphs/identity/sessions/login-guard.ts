import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';

const ACCOUNT_LIMIT = 10;
const ADDRESS_LIMIT = 100; // one gym may stand behind one address

/** Who tries to log in. */
export interface Attempt {
  email: string;
  address: string;
}

/** Counts a failed log-in by account and by address; the tenth (hundredth) in 15 minutes locks for 15 minutes. In the database, so that all replicas count together. */
export async function countFailure(em: EntityManager, attempt: Attempt): Promise<void> {
  // One row after the other, the account's first: always in this order, so that two attempts never wait for each other.
  await em.execute(COUNT, [accountKey(attempt.email), ACCOUNT_LIMIT, ACCOUNT_LIMIT]);
  await em.execute(COUNT, [addressKey(attempt.address), ADDRESS_LIMIT, ADDRESS_LIMIT]);
}

export async function isLocked(em: EntityManager, attempt: Attempt): Promise<boolean> {
  const [row] = await em.execute<{ locked: boolean }[]>(
    'select exists (select 1 from login_failures where key in (?, ?) and locked_until > clock_timestamp()) as locked',
    [accountKey(attempt.email), addressKey(attempt.address)],
  );
  return row?.locked ?? false;
}

/** After a log-in or a reset: the account starts anew. The address does not, or one account of her own would free an attacker. */
export async function forgetFailures(em: EntityManager, email: string): Promise<void> {
  await em.execute('delete from login_failures where key = ?', [accountKey(email)]);
}

const COUNT = `
  insert into login_failures (key, failed_at, locked_until, updated_at) values (?, array[clock_timestamp()], null, clock_timestamp())
  on conflict (key) do update set
    failed_at = case when cardinality(recent(login_failures.failed_at)) + 1 >= ? then '{}' else recent(login_failures.failed_at) || clock_timestamp() end,
    locked_until = case when cardinality(recent(login_failures.failed_at)) + 1 >= ? then clock_timestamp() + interval '15 minutes' end,
    updated_at = clock_timestamp()
  where login_failures.locked_until is null or login_failures.locked_until <= clock_timestamp()`.replaceAll(
  /recent\(([\w.]+)\)/g,
  `array(select failed from unnest($1) as failed where failed > clock_timestamp() - interval '15 minutes')`,
);

/** A digest, because an address that nobody has registered is nothing to keep. */
const accountKey = (email: string): string =>
  `account:${createHash('sha256').update(email.toLowerCase()).digest('hex')}`;
const addressKey = (address: string): string => `address:${address.slice(0, 64)}`;
