import type { ClientConfig } from 'pg';
import type { DatabaseServer } from './database-server.ts';

/** How to connect to one database of the server, in the words of `pg`. The URL's `sslmode` asks for TLS. */
export function connectionTo(server: DatabaseServer, database: string): ClientConfig {
  if ('socketDir' in server) return { host: server.socketDir, user: 'postgres', database };
  const url = new URL(server.url);
  url.pathname = `/${encodeURIComponent(database)}`;
  return { connectionString: url.href };
}

/** The database to connect to while another one is created: the URL's own, else `postgres`. */
export function maintenanceDatabase(server: DatabaseServer): string {
  if ('socketDir' in server) return 'postgres';
  return decodeURIComponent(new URL(server.url).pathname.slice(1)) || 'postgres';
}

/** The server's address for a message: never with a password. */
export function addressOf(server: DatabaseServer): string {
  if ('socketDir' in server) return `socket folder ${server.socketDir}`;
  const { hostname, port, searchParams } = new URL(server.url);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}
