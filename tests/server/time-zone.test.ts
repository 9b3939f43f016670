import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { connectionTo, maintenanceDatabase } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { ensureDatabase } from '#server/database/ensure-database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { jobsPool } from '#server/jobs/jobs-schema.ts';
import { createLogger } from '#server/observability/logger.ts';
import { statementsDuring } from '../support/statements.ts';
import { testRun } from '../support/test-run.ts';

const { server, runId } = testRun.current();
const closings: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closings.toReversed()) await close();
});

class WritesItsZone extends Migration {
  override up(): void {
    this.addSql(`create table zone as select current_setting('timezone') as name`);
  }
}
const declaration: DatabaseDeclaration = {
  name: 'platform_zones',
  entities: [],
  migrations: [{ name: 'writes_its_zone', class: WritesItsZone }],
};

/** Creates an empty database whose default time zone is Kolkata's, five and a half hours ahead of UTC. */
async function databaseInKolkata(): Promise<string> {
  const name = `${runId}_${randomBytes(5).toString('hex')}`;
  await ensureDatabase(server, name);
  const client = new pg.Client(connectionTo(server, maintenanceDatabase(server)));
  await client.connect();
  await client.query(`alter database ${name} set timezone to 'Asia/Kolkata'`);
  await client.end();
  return name;
}

async function connected(client: pg.Client): Promise<pg.Client> {
  await client.connect();
  closings.push(() => client.end());
  return client;
}
const zoneOf = async (client: pg.Client | pg.Pool): Promise<unknown> =>
  ((await client.query('show timezone')) as pg.QueryResult<{ TimeZone: string }>).rows[0]?.TimeZone;

describe('in a database whose default is Asia/Kolkata', () => {
  it('a service and its migrations use UTC', async () => {
    const name = await databaseInKolkata();
    expect(await zoneOf(await connected(new pg.Client(connectionTo(server, name))))).toBe('Asia/Kolkata');
    const orm = await openDatabase(declaration, { server, name });
    closings.push(() => orm.close(true));
    const em = orm.em.fork();
    expect(await em.execute('show timezone')).toEqual([{ TimeZone: 'UTC' }]);
    expect(await em.execute('select name from zone')).toEqual([{ name: 'UTC' }]);
    expect(
      await em.execute(`select extract(minute from date_trunc('hour', now())) = 0 as "isWhole",
        to_char('2026-01-05T23:30:00Z'::timestamptz, 'YYYY-MM-DD HH24:MI') as text`),
    ).toEqual([{ isWhole: true, text: '2026-01-05 23:30' }]);
  });

  it('the connections that listen for notifications and for jobs use UTC', async () => {
    const name = await databaseInKolkata();
    const sent = await statementsDuring(async () => {
      const notifications = await listenTo(server, name, ['news'], createLogger('zones', 'silent'));
      closings.push(() => notifications.close());
    });
    const listening = sent.find(({ text }) => text === 'listen "news"');
    expect(await zoneOf(listening?.connection as pg.Client)).toBe('UTC');
    const jobs = jobsPool(server, name, { max: 1 });
    closings.push(() => jobs.end());
    expect(await zoneOf(jobs)).toBe('UTC');
  });

  it('a connection still uses UTC after a pooler has reset it', async () => {
    const client = await connected(new PlatformClient(connectionTo(server, await databaseInKolkata())));
    expect(await zoneOf(client)).toBe('UTC');
    await client.query('discard all');
    expect(await zoneOf(client)).toBe('UTC');
  });
});

it('every connection of the platform is a PlatformClient', () => {
  const root = path.join(import.meta.dirname, '../..');
  const others = ['server', 'gateway', 'subgraphs', 'scripts'].flatMap((folder) =>
    (fs.readdirSync(path.join(root, folder), { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file))
      .filter((file) => /new pg\.(Client|Pool)\b/.test(fs.readFileSync(path.join(root, file), 'utf8'))),
  );
  expect(others).toEqual([]);
});

describe('errors of the database', () => {
  it.each([
    ['an id that is no UUID', `select 'x'::uuid`, [], 'NOT_FOUND'],
    ['a text with a NUL', 'select $1::text', ['a\0b'], 'VALIDATION_FAILED'],
    ['a number that is too large', 'select 3000000000::int', [], 'VALIDATION_FAILED'],
    ['a day that does not exist', `select '2026-02-31'::date`, [], 'VALIDATION_FAILED'],
    ['a text for a number', `select 'x'::int`, [], 'VALIDATION_FAILED'],
  ])('are recognised by their codes in every language: %s', async (_what, statement, values, code) => {
    const client = await connected(new PlatformClient(connectionTo(server, maintenanceDatabase(server))));
    const error = await client.query(statement, values).then(
      () => undefined,
      (thrown: unknown) => thrown as pg.DatabaseError,
    );
    expect(error).toBeInstanceOf(pg.DatabaseError);
    expect(refusalOfDatabase(error)?.code).toBe(code);
    // The server could also send its message in another language (lc_messages).
    Object.assign(error ?? {}, { message: 'eine Meldung auf Deutsch', severity: 'FEHLER' });
    expect(refusalOfDatabase(error)?.code).toBe(code);
  });

  it('are recognised by their code if the server ends a connection', async () => {
    const [victim, other] = [
      new PlatformClient(connectionTo(server, maintenanceDatabase(server))),
      await connected(new PlatformClient(connectionTo(server, maintenanceDatabase(server)))),
    ];
    victim.on('error', () => undefined);
    await victim.connect();
    const { rows } = (await victim.query('select pg_backend_pid() as pid')) as pg.QueryResult<{
      pid: number;
    }>;
    const ended = victim.query('select pg_sleep(10)').catch((error: pg.DatabaseError) => error);
    await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    const error = (await ended) as pg.DatabaseError;
    expect(error.code).toBe('57P01');
    await expect(victim.query('select 1')).rejects.toThrow(/closed|not queryable|terminated/);
    expect(refusalOfDatabase(error)?.code).toBe('UPSTREAM_UNAVAILABLE');
  });
});
