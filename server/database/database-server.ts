/**
 * The address of a PostgreSQL server, without a database: each service adds the name of its own.
 *
 * - `url`: the DATABASE_URL. Its path is used only to connect while a service's own database is created;
 *   `sslmode` and the other parameters apply to every connection.
 * - `socketDir`: the folder of the embedded server's Unix socket.
 */
export type DatabaseServer = { url: string } | { socketDir: string };
