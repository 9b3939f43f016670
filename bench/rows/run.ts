/**
 * Measures sizes of rows and tries monthly partitions on an embedded PostgreSQL with its data in a temporary folder, and
 * writes the figures into docs/scaling.md:
 *
 *     npm run bench:rows [-- MEMBERS]      20,000 by default
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { ensureDatabase } from '#server/database/ensure-database.ts';
import { startEmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { tryPartitions } from './partitions.ts';
import { writeReport, type RowSize } from './report.ts';
import { FUNCTIONS, SEEDS } from './seed.ts';

const members = Number(process.argv[2] ?? 20_000);
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'fitness-rows-'));
const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
try {
  const sizes: RowSize[] = [];
  let partitions = '';
  for (const [service, seeds] of Object.entries(SEEDS)) {
    const client = await connectToEmptyDatabase(service);
    for (const [table, statement] of seeds) {
      await client.query(statement, [members]);
      await client.query(`vacuum analyze ${table}`);
      const size = await sizeOf(client, service, table);
      console.log(size);
      // The report contains only tables with at least one row for each member: there are fewer gyms, locations and journals.
      if (size.rows >= members) sizes.push(size);
    }
    if (service === 'gym' || service === 'nutrition') partitions += await tryPartitions(client, service);
    await client.end();
  }
  console.log(partitions);
  await writeReport(sizes, partitions);
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Creates a database with the service's tables, which are empty, and returns a connection to it. */
async function connectToEmptyDatabase(service: string): Promise<pg.Client> {
  const { database } = (await import(`../../subgraphs/${service}/database.ts`)) as {
    database: DatabaseDeclaration;
  };
  await ensureDatabase(postgres.server, database.name);
  const orm = await openDatabase(database, { server: postgres.server, name: database.name, migrate: true });
  await orm.close(true);
  const client = new pg.Client(connectionTo(postgres.server, database.name));
  // After a failure the server stops, and ends the connection. Only the failure is reported.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('set statement_timeout = 0'); // the services' limit for a statement is a setting of the database
  await client.query(FUNCTIONS);
  return client;
}

async function sizeOf(client: pg.Client, service: string, table: string): Promise<RowSize> {
  const { rows } = await client.query<{ rows: string; data: string; total: string }>(
    `select count(*) as rows, pg_table_size('${table}') as data, pg_total_relation_size('${table}') as total from ${table}`,
  );
  const { rows: count, data, total } = rows[0]!;
  const perRow = (bytes: string): number => Math.round(Number(bytes) / Number(count));
  return { table: `${service}.${table}`, rows: Number(count), data: perRow(data), total: perRow(total) };
}
