import type { DatabaseHost } from './connection.ts';

/** None of the servers accepts writes, for example in the middle of a failover. */
export class NoPrimaryError extends Error {
  override readonly name = 'NoPrimaryError';
  /** SQLSTATE cannot_connect_now: a start waits, and a request is answered with 503. */
  readonly code = '57P03';

  constructor(hosts: readonly DatabaseHost[], reasons: readonly unknown[] = []) {
    const addresses = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
    const texts = reasons.map((reason) => (reason instanceof Error ? reason.message : 'it is a standby'));
    super(
      `None of the servers ${addresses} accepts writes${texts.length > 0 ? ` (${texts.join('; ')})` : ''}.`,
    );
  }
}

/** The last known primary of each list of hosts. A process has one list for each URL in its settings. */
const primaries = new Map<string, Promise<DatabaseHost>>();
const keyOf = (hosts: readonly DatabaseHost[]): string => JSON.stringify(hosts);

/**
 * The host that accepts writes. All hosts are asked at once, because one that does not answer must not delay the others;
 * the answer is kept until `forgetPrimary`.
 * @throws NoPrimaryError
 */
export async function findPrimary(
  hosts: readonly DatabaseHost[],
  isPrimary: (host: DatabaseHost) => Promise<boolean>,
): Promise<DatabaseHost> {
  const key = keyOf(hosts);
  const known = primaries.get(key) ?? search(hosts, isPrimary);
  primaries.set(key, known);
  try {
    return await known;
  } catch (error) {
    if (primaries.get(key) === known) primaries.delete(key);
    throw error;
  }
}

/** The next connection searches for the primary again. Nothing happens if another host is the primary by now. */
export async function forgetPrimary(
  hosts: readonly DatabaseHost[],
  { host, port }: DatabaseHost,
): Promise<void> {
  const key = keyOf(hosts);
  const known = primaries.get(key);
  const found = await known?.catch(() => undefined);
  if (found?.host === host && found.port === port && primaries.get(key) === known) primaries.delete(key);
}

async function search(
  hosts: readonly DatabaseHost[],
  isPrimary: (host: DatabaseHost) => Promise<boolean>,
): Promise<DatabaseHost> {
  try {
    return await Promise.any(
      hosts.map(async (host) => {
        if (await isPrimary(host)) return host;
        throw undefined;
      }),
    );
  } catch (error) {
    throw new NoPrimaryError(hosts, (error as AggregateError).errors);
  }
}
