/**
 * A PostgreSQL server, without a database of it: each service names its own.
 *
 * - `url`: the DATABASE_URL. Its path is only the database to connect to while a service's own is being created;
 *   `sslmode` and the other parameters count for every connection.
 * - `socketDir`: the folder of the embedded server's unix socket.
 */
export type DatabaseServer = { url: string } | { socketDir: string };
