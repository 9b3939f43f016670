/**
 * The address of a PostgreSQL server, without a database: each service adds the name of its own.
 *
 * - `url`: the DATABASE_URL. Its path is used only to connect while a service's own database is created;
 *   `sslmode` and the other parameters apply to every connection.
 * - `directUrl`: the DATABASE_DIRECT_URL, for what needs a session of PostgreSQL. Default: `url`.
 * - `socketDir`: the folder of the embedded server's Unix socket.
 */
export type DatabaseServer = { url: string; directUrl?: string | undefined } | { socketDir: string };

/**
 * The same server without a connection pooler between. A pooler may give a client another connection for each
 * transaction, so LISTEN, migrations and CREATE DATABASE must not go through it.
 */
export const withoutPooler = (server: DatabaseServer): DatabaseServer =>
  'url' in server ? { url: server.directUrl ?? server.url } : server;
