import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';

const ACCOUNT_LIMIT = 10;
const ADDRESS_LIMIT = 100; // all users of a gym may share one address

/** The account and address of a log-in attempt. */
export interface Attempt {
  email: string;
  address: string;
}

/** The effect of a failure: whether it was counted, and what it locked. */
interface CountedFailure {
  /** False if the account or the address was locked already. Then no `LOGIN_FAILED` is audited, to bound the audit trail. */
  counted: boolean;
  locked: ('account' | 'address')[];
}

/**
 * Counts a failed password check by account and by address. The tenth failure of an account within 15 minutes, or the
 * hundredth of an address, locks it for 15 minutes. The counts are in the database, so that all replicas count together.
 */
export async function countFailure(em: EntityManager, attempt: Attempt): Promise<CountedFailure> {
  // The account's row is always locked first, so that two attempts cannot deadlock.
  const account = await countOne(em, accountKey(attempt.email), ACCOUNT_LIMIT);
  const address = await countOne(em, addressKey(attempt.address), ADDRESS_LIMIT);
  return {
    counted: account !== undefined && address !== undefined,
    locked: [
      ...(account?.locked ? (['account'] as const) : []),
      ...(address?.locked ? (['address'] as const) : []),
    ],
  };
}

/** Counts one failure; undefined if the key was locked already. */
async function countOne(
  em: EntityManager,
  key: string,
  limit: number,
): Promise<{ locked: boolean } | undefined> {
  const [row] = await em.execute<{ locked: boolean }[]>(COUNT, [key, limit, limit]);
  return row;
}

/** Whether the account or the address is locked. */
export async function isLocked(em: EntityManager, attempt: Attempt): Promise<boolean> {
  const [row] = await em.execute<{ locked: boolean }[]>(
    'select exists (select 1 from login_failures where key in (?, ?) and locked_until > clock_timestamp()) as locked',
    [accountKey(attempt.email), addressKey(attempt.address)],
  );
  return row?.locked ?? false;
}

/**
 * Resets the count of an account, e.g. after a log-in or a new password. The count of the address stays, because otherwise an
 * attacker could reset it by logging in to an account of their own.
 */
export async function forgetFailures(em: EntityManager, email: string): Promise<void> {
  await em.execute('delete from login_failures where key = ?', [accountKey(email)]);
}

/** SQL. In it, `recent(times)` means the times of the last 15 minutes; `replaceAll` replaces it by its SQL. */
const COUNT = `
  insert into login_failures (key, failed_at, locked_until, updated_at) values (?, array[clock_timestamp()], null, clock_timestamp())
  on conflict (key) do update set
    failed_at = case when cardinality(recent(login_failures.failed_at)) + 1 >= ? then '{}' else recent(login_failures.failed_at) || clock_timestamp() end,
    locked_until = case when cardinality(recent(login_failures.failed_at)) + 1 >= ? then clock_timestamp() + interval '15 minutes' end,
    updated_at = clock_timestamp()
  where login_failures.locked_until is null or login_failures.locked_until <= clock_timestamp()
  returning locked_until is not null as locked`.replaceAll(
  /recent\(([\w.]+)\)/g,
  `array(select failed from unnest($1) as failed where failed > clock_timestamp() - interval '15 minutes')`,
);

/** A digest, because an attempt may name an email without an account, which should not be stored. */
const accountKey = (email: string): string =>
  `account:${createHash('sha256').update(email.toLowerCase()).digest('hex')}`;
const addressKey = (address: string): string => `address:${address.slice(0, 64)}`;
