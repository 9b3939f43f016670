import type { DatabaseHost } from './connection.ts';

/** None of the servers accepts writes, for example in the middle of a failover. */
export class NoPrimaryError extends Error {
  override readonly name = 'NoPrimaryError';
  /** SQLSTATE cannot_connect_now: a start waits, and a request is answered with 503. */
  readonly code = '57P03';

  constructor(reasons: readonly Error[]) {
    super(
      `None of the PostgreSQL servers accepts writes: ${reasons.map(({ message }) => message).join('; ')}.`,
    );
  }
}

interface Search {
  readonly done: Promise<DatabaseHost>;
  /** Undefined while the search runs. */
  found?: DatabaseHost;
}

/** The last search for each list of hosts. The map stays small: a process has one list for each URL in its settings. */
const searches = new Map<string, Search>();
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
  const last: Search = searches.get(key) ?? { done: search(hosts, isPrimary) };
  searches.set(key, last);
  try {
    return (last.found = await last.done);
  } catch (error) {
    if (searches.get(key) === last) searches.delete(key);
    throw error;
  }
}

/** The next connection searches for the primary again, unless another host has become the primary already. */
export function forgetPrimary(hosts: readonly DatabaseHost[], { host, port }: DatabaseHost): void {
  const key = keyOf(hosts);
  const found = searches.get(key)?.found;
  if (found?.host === host && found.port === port) searches.delete(key);
}

async function search(
  hosts: readonly DatabaseHost[],
  isPrimary: (host: DatabaseHost) => Promise<boolean>,
): Promise<DatabaseHost> {
  const asked = hosts.map(async (host) => {
    if (!(await isPrimary(host))) throw new Error(`${host.host}:${host.port} is a standby`);
    return host;
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    throw new NoPrimaryError((error as AggregateError).errors as Error[]);
  }
}
