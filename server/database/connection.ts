import type { ClientConfig } from 'pg';
import type { DatabaseServer } from './database-server.ts';

/** The connection options of `pg` for one database of the server. The URL's `sslmode` requests TLS. */
export function connectionTo(server: DatabaseServer, database: string): ClientConfig {
  if ('socketDir' in server) return { host: server.socketDir, user: 'postgres', database };
  const url = parse(server.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { connectionString: url.href };
}

/** The database to connect to while another database is created: the one in the URL, else `postgres`. */
export function maintenanceDatabase(server: DatabaseServer): string {
  if ('socketDir' in server) return 'postgres';
  return decodeURIComponent(parse(server.url).pathname.slice(1)) || 'postgres';
}

/** The server's address for messages, without the password. */
export function addressOf(server: DatabaseServer): string {
  if ('socketDir' in server) return `socket folder ${server.socketDir}`;
  const { hostname, port, searchParams } = parse(server.url);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}

/** PostgreSQL allows an empty host before `?host=/path/of/socket`; the URL standard does not. */
function parse(databaseUrl: string): URL {
  return new URL(databaseUrl.replace('@/', '@localhost/'));
}
