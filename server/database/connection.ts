import { hostOf } from '../url-host.ts';
import type { DatabaseServer } from './database-server.ts';
import type { PlatformClientConfig } from './platform-client.ts';

/**
 * The connection options of `pg` for one database of the server. The URL's `sslmode` requests TLS. `hosts` has all hosts of
 * a URL that names several.
 */
export function connectionTo(server: DatabaseServer, database: string): PlatformClientConfig {
  if ('socketDir' in server) return { host: server.socketDir, user: 'postgres', database };
  const { url, hosts } = parse(server.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { connectionString: url.href, ...(hosts.length > 1 && { hosts }) };
}

/** The database to connect to while another database is created: the one in the URL, else `postgres`. */
export function maintenanceDatabase(server: DatabaseServer): string {
  if ('socketDir' in server) return 'postgres';
  return decodeURIComponent(parse(server.url).url.pathname.slice(1)) || 'postgres';
}

/** The server's address for messages, without the password. */
export function addressOf(server: DatabaseServer): string {
  if ('socketDir' in server) return `socket folder ${server.socketDir}`;
  const { url, hosts } = parse(server.url);
  const { searchParams } = url;
  return hosts
    .map(
      ({ host, port }) =>
        `${searchParams.get('host') ?? (host || 'localhost')}:${searchParams.get('port') ?? port}`,
    )
    .join(', ');
}

/** Whether the text is a URL of PostgreSQL that this platform can use. */
export function isDatabaseUrl(text: string): boolean {
  try {
    return /^postgres(ql)?:\/\//.test(text) && parse(text).hosts.every(({ port }) => port > 0);
  } catch {
    return false;
  }
}

/** One of the servers of a URL. */
export interface DatabaseHost {
  host: string;
  port: number;
}

/**
 * A URL of PostgreSQL (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS). It allows two
 * things that the URL standard does not: an empty host before `?host=/path/of/socket`, and several hosts, separated by
 * commas. The returned `url` has only the first host.
 */
function parse(databaseUrl: string): { url: URL; hosts: DatabaseHost[] } {
  const [, scheme = '', user = '', places = '', rest = ''] =
    /^(\w+:\/\/)([^/?#]*@)?([^@/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const urls = places.split(',').map((place) => new URL(`${scheme}${user}${place || 'localhost'}${rest}`));
  const hosts = urls.map(({ hostname, port }) => ({
    host: hostOf({ hostname }),
    port: Number(port || 5432),
  }));
  return { url: urls[0]!, hosts };
}
