import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import {
  DatabaseUnavailableError,
  openDatabase,
  type DatabaseDeclaration,
} from '#server/database/database.ts';
import { IdempotencyRecord } from '#server/database/platform-tables.ts';
import { read } from '#server/database/read.ts';
import { uuidv7 } from '#server/ids.ts';
import { cloneDatabase } from '../support/database.ts';
import { testRun } from '../support/test-run.ts';

const NoteSchema = defineEntity({ name: 'Note', properties: { id: p.uuid().primary(), text: p.text() } });
class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);

class CreateNotes extends Migration {
  override up(): void {
    this.addSql('create table note (id uuid primary key, text text not null)');
  }
}

const declaration: DatabaseDeclaration = {
  name: 'platform_notes',
  entities: [Note],
  migrations: [{ name: 'create_notes', class: CreateNotes }],
};

const { server, runId } = testRun.current();
const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings.toReversed()) await close();
});

/** Opens a database, which is closed after all tests of this file. */
async function open(...args: Parameters<typeof openDatabase>): ReturnType<typeof openDatabase> {
  const orm = await openDatabase(...args);
  closings.push(() => orm.close(true));
  return orm;
}

describe('a read', () => {
  const TEXTS = 'select text from note where id = any(?::uuid[]) and text <> ? order by text';

  it('finds rows by values and lists of values', async () => {
    const { em } = await open(declaration, await cloneDatabase(declaration));
    const ids = [uuidv7(), uuidv7(), uuidv7()];
    await em.fork().insertMany(Note, [
      { id: ids[0]!, text: 'one?' },
      { id: ids[1]!, text: 'three' },
      { id: ids[2]!, text: "it's" },
    ]);
    for (let round = 0; round < 3; round += 1) {
      expect(await read(em, TEXTS, [ids, 'three'])).toEqual([{ text: "it's" }, { text: 'one?' }]);
      expect(await read(em, TEXTS, [ids.slice(0, 1), ''])).toEqual([{ text: 'one?' }]);
      expect(await read(em, TEXTS, [[], ''])).toEqual([]);
    }
  });

  it('inside a transaction sees its writes, which others do not see yet', async () => {
    const { em } = await open(declaration, await cloneDatabase(declaration));
    const id = uuidv7();
    const outside = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const transaction = em.fork({ useContext: true }).transactional(async (inner) => {
      await inner.insert(Note, { id, text: 'mine' });
      expect(await read(em, TEXTS, [[id], ''])).toEqual([{ text: 'mine' }]);
      written.resolve();
      await outside.promise;
    });
    await written.promise;
    expect(await read(em, TEXTS, [[id], ''])).toEqual([]);
    outside.resolve();
    await transaction;
    expect(await read(em, TEXTS, [[id], ''])).toEqual([{ text: 'mine' }]);
  });

  it('returns the same rows as pg itself, at the first execution and later', async () => {
    const { em } = await open(declaration, await cloneDatabase(declaration));
    const pool = await em.getConnection().getNativeClient();
    const select = (placeholder: string) =>
      `select number, number % 2 = 0 as even, nullif(number, 1) as nullable, number / 4::float8 as share,
         array[number::text, 'b'] as list, jsonb_build_object('number', number) as json, now()::date as day,
         'ä😀"' as text from generate_series(1, ${placeholder}::int) as number order by number`;
    for (const count of [3, 0, 1, 200]) {
      const { rows } = await pool.query(select('$1'), [count]);
      expect(await read(em, select('?'), [count])).toEqual(rows);
    }
  });

  it('never returns the values of a column as those of another one if a migration changes the table', async () => {
    const { em } = await open(declaration, { ...(await cloneDatabase(declaration)), poolMax: 1 });
    const all = 'select * from note';
    await em.fork().insert(Note, { id: uuidv7(), text: '7' });
    expect(await read(em, all)).toEqual([{ id: expect.any(String), text: '7' }]);
    await em.execute(
      'alter table note add column place int default 3, alter column text type int using text::int',
    );
    const changed = [{ id: expect.any(String), text: 7, place: 3 }];
    // If other files of this worker have used up the number of prepared statements, this one is planned at each
    // execution.
    const next = await read(em, all).catch((error: Error) => error.message);
    expect([expect.stringContaining('cached plan must not change result type'), changed]).toContainEqual(
      next,
    );
    expect(await read(em, all)).toEqual(changed);
  });

  it('that fails has a message with the cause, and the next one works', async () => {
    const { em } = await open(declaration, { ...(await cloneDatabase(declaration)), poolMax: 1 });
    const circular: { own?: unknown } = {};
    circular.own = circular;
    for (let round = 0; round < 2; round += 1) {
      await expect(read(em, 'select ?::int as number', ['x'])).rejects.toMatchObject({ code: '22P02' });
      await expect(read(em, 'select ?::json as json', [circular])).rejects.toThrow('circular');
      await expect(
        read(em, 'select 1 / (? - number) as share from generate_series(1, 3) as number', [3]),
      ).rejects.toMatchObject({ code: '22012' });
      expect(await read(em, 'select ?::int as number', [2])).toEqual([{ number: 2 }]);
    }
  });

  it('prepares nothing if prepared statements are off', async () => {
    const clone = await cloneDatabase(declaration);
    const { em } = await open(declaration, { ...clone, poolMax: 1, preparesStatements: false });
    for (let round = 0; round < 3; round += 1)
      expect(await read(em, 'select ?::int as number', [round])).toEqual([{ number: round }]);
    expect(await read(em, 'select name from pg_prepared_statements')).toEqual([]);
  });

  it('keeps a bounded number of prepared statements, however many different texts it has run', async () => {
    const { em } = await open(declaration, await cloneDatabase(declaration));
    for (let number = 0; number < 650; number += 1)
      expect(await read(em, `select ?::int + ${number} as sum`, [1])).toEqual([{ sum: 1 + number }]);
    const [{ kept } = { kept: 0 }] = await read<{ kept: number }>(
      em,
      'select count(*)::int as kept from pg_prepared_statements',
    );
    expect(kept).toBeLessThanOrEqual(600);
  });
});

describe('opening a database', () => {
  it('creates a missing one and migrates it once if four replicas start at the same time', async () => {
    const name = `${runId}_race`;
    const migrated: string[] = [];
    const log = (message: string): void => void migrated.push(message);
    const orms = await Promise.all([1, 2, 3, 4].map(() => open(declaration, { server, name, log })));

    expect(migrated).toHaveLength(1);
    expect(migrated[0]).toContain('create_notes');

    const id = uuidv7();
    const em = orms[0]!.em.fork();
    em.create(Note, { id, text: 'one' });
    await em.flush();
    await expect(orms[3]!.em.fork().findOneOrFail(Note, { id })).resolves.toMatchObject({ text: 'one' });
  });

  it('creates the tables that every service has', async () => {
    const clone = await cloneDatabase(declaration);
    const orm = await open(declaration, clone);
    const em = orm.em.fork();
    em.create(IdempotencyRecord, {
      caller: 'maya',
      key: 'k1',
      operation: 'POST /posts',
      fingerprint: 'abc',
      status: 201,
      headers: { etag: '"1"' },
      body: '{}',
      createdAt: new Date('2026-01-05T09:00:00.000Z'),
    });
    await em.flush();
    const found = await orm.em.fork().findOneOrFail(IdempotencyRecord, { caller: 'maya', key: 'k1' });
    expect(found).toMatchObject({
      status: 201,
      headers: { etag: '"1"' },
      createdAt: new Date('2026-01-05T09:00:00.000Z'),
    });
  });

  it('creates clones that have their own rows', async () => {
    const [one, other] = await Promise.all([cloneDatabase(declaration), cloneDatabase(declaration)]);
    const em = (await open(declaration, one)).em.fork();
    em.create(Note, { id: uuidv7(), text: 'only here' });
    await em.flush();
    expect(await (await open(declaration, other)).em.fork().count(Note)).toBe(0);
    expect(await em.fork().count(Note)).toBe(1);
  });

  it('rolls back a migration that fails, and names the database', async () => {
    class Broken extends Migration {
      override up(): void {
        this.addSql('create table half (id int)');
        this.addSql('create table note (id int)');
      }
    }
    const name = `${runId}_broken`;
    const broken = {
      ...declaration,
      migrations: [...declaration.migrations, { name: 'broken', class: Broken }],
    };
    await expect(openDatabase(broken, { server, name })).rejects.toThrow(
      new RegExp(
        `"${name}" could not be brought up to date: .*note.* already exists.*but the schema of its jobs may have been created`,
      ),
    );
    const orm = await open(declaration, { server, name });
    expect(
      await orm.em
        .fork()
        .execute(`select to_regclass('half') as half, to_regclass('graphile_worker.jobs') as jobs`),
    ).toEqual([{ half: null, jobs: 'graphile_worker.jobs' }]);
  });

  it('limits the time of a statement, of a wait for a lock, and of an idle transaction', async () => {
    const orm = await open(declaration, await cloneDatabase(declaration));
    const settings = await orm.em
      .fork()
      .execute(
        `select name, setting from pg_settings where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'application_name') order by name`,
      );
    expect(settings).toEqual([
      { name: 'application_name', setting: 'platform_notes' },
      { name: 'idle_in_transaction_session_timeout', setting: '30000' },
      { name: 'lock_timeout', setting: '10000' },
      { name: 'statement_timeout', setting: '15000' },
    ]);
  });

  it.each([
    [
      'a port without a server',
      'postgres://maya:secret@127.0.0.1:1/postgres',
      /127\.0\.0\.1:1 .*ECONNREFUSED.*Check that it runs/,
    ],
    [
      'a host without an address',
      'postgres://maya:secret@database.invalid/postgres',
      /database\.invalid:5432 .*Check that it runs/,
    ],
  ])('at %s names the address and what to check, but not the password', async (_, url, message) => {
    const failure: unknown = await openDatabase(declaration, { server: { url } }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DatabaseUnavailableError);
    expect((failure as Error).message).toMatch(message);
    expect((failure as Error).message).not.toContain('secret');
  });

  it('names the missing right if the database cannot be created, and if it exists but may not be entered', async () => {
    if ('url' in server) return; // the roles of an external server are not changed
    const existing = await cloneDatabase(declaration);
    const orm = await open(declaration, existing);
    await orm.em.fork().execute('create role guest login');
    const url = `postgres://guest@/postgres?host=${encodeURIComponent(server.socketDir)}`;
    await expect(openDatabase(declaration, { server: { url }, name: `${runId}_guest` })).rejects.toThrow(
      /is missing at .*may not create it.*CREATEDB/,
    );
    // This is the state after a restore of dumps by another user than the one that migrates.
    await orm.em.fork().execute(`revoke connect on database "${existing.name}" from public`);
    const refused = openDatabase(declaration, { server: { url }, name: existing.name });
    await expect(refused).rejects.toThrow(DatabaseUnavailableError);
    await expect(refused).rejects.toThrow(
      `"${existing.name}" exists at ${server.socketDir}:5432, but the user "guest" may not connect to it`,
    );
    await expect(refused).rejects.toThrow(`GRANT CONNECT ON DATABASE "${existing.name}" TO "guest"`);
    await expect(refused).rejects.toThrow(`ALTER DATABASE "${existing.name}" OWNER TO "guest"`);
  });

  it('says that the user is refused if the server asks for a password and the URL has none', async () => {
    const asking = createServer((socket) => {
      // Messages of PostgreSQL: a request of SCRAM-SHA-256 after the start, and the server's first message after the
      // answer.
      const ask = (kind: number, text: string) => {
        const message = Buffer.alloc(9 + Buffer.byteLength(text));
        message.write('R');
        message.writeInt32BE(message.length - 1, 1);
        message.writeInt32BE(kind, 5);
        message.write(text, 9);
        socket.write(message);
      };
      socket
        .on('error', () => undefined)
        .once('data', () => {
          ask(10, 'SCRAM-SHA-256\0\0');
          socket.once('data', () => ask(11, 'r=nonce,s=c2FsdA==,i=4096'));
        });
    }).listen(0, '127.0.0.1');
    closings.push(async () => void asking.close());
    await once(asking, 'listening');
    const url = `postgres://maya@127.0.0.1:${(asking.address() as AddressInfo).port}/postgres`;
    await expect(openDatabase(declaration, { server: { url } })).rejects.toThrow(
      /refuses the user of DATABASE_URL .*password.*Check its name and password/,
    );
  });
});
