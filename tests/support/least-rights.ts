import pg from 'pg';
import { connectionTo } from '../../server/database/connection.ts';
import { withoutPooler, type DatabaseServer } from '../../server/database/database-server.ts';
import { grantUse } from '../../server/database/grant-use.ts';

/**
 * Returns the server with a role as its user that may only read and write the rows of this database. Services have such a
 * role in production, where the command `migrate` grants the rights. The role is created if it is missing.
 */
export async function asLeastUser(
  server: DatabaseServer,
  database: string,
  role: string,
): Promise<{ url: string; directUrl: string }> {
  const client = new pg.Client(connectionTo(withoutPooler(server), 'postgres'));
  await client.connect();
  try {
    await client.query(`create role ${pg.escapeIdentifier(role)} login`).catch((error: { code?: string }) => {
      // duplicate_object, or unique_violation if another test creates it at the same time
      if (!['42710', '23505'].includes(error.code ?? '')) throw error;
    });
  } finally {
    await client.end();
  }
  await grantUse(server, database, role);
  const url = (from: string): string => {
    const to = new URL(from.replace('@/', '@localhost/'));
    to.username = role;
    return to.href.replace('@localhost/', '@/');
  };
  if ('socketDir' in server) {
    const socket = url(`postgres://postgres@/postgres?host=${encodeURIComponent(server.socketDir)}`);
    return { url: socket, directUrl: socket };
  }
  return { url: url(server.url), directUrl: url(server.directUrl ?? server.url) };
}
