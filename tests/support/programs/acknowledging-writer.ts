/**
 * Starts a database on the folder in its argument, and inserts rows over several connections until a test kills it. It
 * prints `ready <pid of PostgreSQL>`, and then each number whose insert was acknowledged.
 */
import fs from 'node:fs';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../server/embedded-postgres/embedded-postgres.ts';

const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2]! });
const pool = new pg.Pool({ host: postgres.socketDir, user: 'postgres', database: 'postgres', max: 4 });
await pool.query('create table if not exists entry (number int primary key)');
report(`ready ${postgres.pid}`);

let last = Number((await pool.query('select coalesce(max(number), 0) as last from entry')).rows[0].last);
await Promise.all([1, 2, 3, 4].map(writeOn));

async function writeOn(): Promise<void> {
  for (;;) {
    const number = ++last;
    await pool.query('insert into entry values ($1)', [number]);
    report(String(number));
  }
}

/** Writes at once, because lines in a buffer would be lost when the process is killed, although their inserts were acknowledged. */
function report(line: string): void {
  fs.writeSync(1, `${line}\n`);
}
