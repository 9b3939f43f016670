import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import pino from 'pino';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { logLostConnections } from '#server/database/pool-losses.ts';
import { watchPool } from '#server/database/pool-watch.ts';
import { read } from '#server/database/read.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const NoteSchema = defineEntity({
  name: 'FaultNote',
  tableName: 'note',
  properties: { id: p.integer().primary(), text: p.text() },
});
class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);

class CreateNotes extends Migration {
  override up(): void {
    this.addSql('create table note (id serial primary key, text text not null)');
    this.addSql('create table late (id integer unique deferrable initially deferred)');
  }
}

const declaration: DatabaseDeclaration = {
  name: 'platform_faults',
  entities: [Note],
  migrations: [{ name: 'create_notes', class: CreateNotes }],
};

let database: ClonedDatabase;
let admin: pg.Client;
/** Holds locks. `admin` cannot, because pg_stat_activity does not change inside of a transaction. */
let holder: pg.Client;
beforeAll(async () => {
  database = await cloneDatabase(declaration);
  admin = new pg.Client(connectionTo(database.server, database.name));
  holder = new pg.Client(connectionTo(database.server, database.name));
  await Promise.all([admin.connect(), holder.connect()]);
});
afterAll(async () => {
  await Promise.all([admin.end(), holder.end()]);
  await database.drop();
});

async function withOrm(
  options: Partial<Parameters<typeof openDatabase>[1]>,
  work: (orm: MikroORM) => Promise<void>,
): Promise<void> {
  const orm = await openDatabase(declaration, { ...database, ...options });
  try {
    await work(orm);
  } finally {
    await orm.close(true);
  }
}

/** Ends the connections of the service that match the condition; by default those with a transaction or a statement. */
async function terminate(where = "state like 'idle in transaction%' or state = 'active'"): Promise<number> {
  const { rowCount } = await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() and (${where})`,
    [declaration.name],
  );
  return rowCount ?? 0;
}

const insert = (orm: MikroORM, text: string, sleepSeconds = 0) =>
  orm.em.fork().transactional(async (em) => {
    await em.execute('insert into note (text) values (?)', [text]);
    if (sleepSeconds) await em.execute('select pg_sleep(?)', [sleepSeconds]);
  });

describe('a connection that is lost inside a transaction', () => {
  it('is handled for this version of Kysely; another version needs a new check of PlatformDriver', async () => {
    const url = new URL('../../node_modules/kysely/package.json', import.meta.url);
    const { version } = JSON.parse(await readFile(url, 'utf8')) as { version: string };
    // docs/decisions/0011-lost-connections.md says how to check whether PlatformDriver is still needed, and still
    // works.
    expect(version).toBe('0.29.6');
  });

  it('is replaced, whatever the number of lost connections', async () => {
    await withOrm({ poolMax: 3 }, async (orm) => {
      // Two rounds lose twice as many connections as the pool contains.
      for (let round = 0; round < 2; round += 1) {
        let isOver = false;
        const outcomes = Promise.allSettled([1, 2, 3].map((n) => insert(orm, `doomed ${n}`, 30)));
        void outcomes.then(() => (isOver = true));
        while (!isOver) await terminate("query like 'select pg_sleep%' and state = 'active'");
        expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      }
      await Promise.all([1, 2, 3, 4].map((n) => insert(orm, `alive ${n}`)));
    });
    const { rows } = await admin.query("select text from note where text like 'doomed%'");
    expect(rows).toEqual([]);
  });

  it('is replaced if its BEGIN fails', async () => {
    await withOrm({ poolMax: 1 }, async (orm) => {
      for (let round = 0; round < 3; round += 1) {
        await orm.em.fork().execute('select 1');
        // The service notices that it has lost an idle connection only when it uses this connection again.
        await terminate("state = 'idle'");
        await insert(orm, 'after BEGIN failed').catch(() => undefined);
      }
      await expect(insert(orm, 'alive')).resolves.toBeUndefined();
    });
  });

  it('is replaced if PostgreSQL ends it because its transaction was idle for too long', async () => {
    const timeLimits = { idle_in_transaction_session_timeout: 200 };
    await withOrm({ poolMax: 1, timeLimits }, async (orm) => {
      for (let round = 0; round < 2; round += 1) {
        const outcome = await orm.em
          .fork()
          .transactional(async (em) => {
            const rows = await em.execute<{ pid: number }[]>(
              "insert into note (text) values ('idle') returning pg_backend_pid() as pid",
            );
            await gone(rows[0]!.pid);
          })
          .catch((error: unknown) => refusalOfDatabase(error)?.code);
        expect(outcome).toBe('UPSTREAM_UNAVAILABLE');
      }
      await insert(orm, 'alive');
    });
    expect(await textsLike('idle')).toEqual([]);
  });

  it('is replaced if no answer arrives within query_timeout, inside a transaction and outside', async () => {
    const timeLimits = { statement_timeout: 0, query_timeout: 1_000 };
    await withOrm({ poolMax: 1, timeLimits }, async (orm) => {
      for (const late of [
        () => insert(orm, 'late', 30),
        () => orm.em.fork().execute('select pg_sleep(30)'),
        () => read(orm.em, 'select pg_sleep(30)'),
      ]) {
        const error: unknown = await late().catch((thrown: unknown) => thrown);
        expect(refusalOfDatabase(error)).toMatchObject({
          code: 'UPSTREAM_UNAVAILABLE',
          retryAfterSeconds: 2,
        });
        // On the pool's old connection, this statement would wait behind the one that hangs.
        await orm.em.fork().execute('select 1');
      }
    });
    await terminate("query like 'select pg_sleep%'");
    expect(await textsLike('late')).toEqual([]);
  });

  it('does not acknowledge its transaction if it is lost during COMMIT', async () => {
    await withOrm({ poolMax: 1 }, async (orm) => {
      for (let round = 0; round < 2; round += 1) {
        // COMMIT checks the deferred constraint, and waits for the other transaction with the same value.
        await holder.query('begin');
        await holder.query('insert into late (id) values (1)');
        let outcome: unknown;
        const transaction = orm.em.fork().transactional(async (em) => {
          await em.execute("insert into note (text) values ('unsure')");
          await em.execute('insert into late (id) values (1)');
        });
        const over = transaction.catch((error: unknown) => (outcome = error));
        while (!outcome) await terminate("state = 'active' and query = 'commit'");
        await over;
        await holder.query('rollback');
        expect(refusalOfDatabase(outcome)).toMatchObject({ status: 503 });
      }
      await insert(orm, 'alive');
    });
    expect(await textsLike('unsure')).toEqual([]);
  });

  it('does not count a COMMIT as done if PostgreSQL answers it with ROLLBACK', async () => {
    await withOrm({ poolMax: 1 }, async (orm) => {
      const outcome = orm.em.fork().transactional(async (em) => {
        await em.execute("insert into note (text) values ('swallowed')");
        await em.execute('select 1 / 0').catch(() => undefined);
      });
      await expect(outcome).rejects.toThrow('was rolled back');
      await insert(orm, 'alive');
    });
    expect(await textsLike('swallowed')).toEqual([]);
  });
});

describe('a database that does not answer is UPSTREAM_UNAVAILABLE', () => {
  it('if no connection is free in time', async () => {
    // On a busy machine it can take a second to open the first connection.
    await withOrm({ poolMax: 1, timeLimits: { connectionTimeoutMillis: 2_000 } }, async (orm) => {
      const error: unknown = await orm.em
        .fork()
        .transactional(async () => orm.em.fork().execute('select 1'))
        .catch((thrown: unknown) => thrown);
      expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
    });
  });

  it('if a lock is not free in time', async () => {
    await withOrm({ timeLimits: { lock_timeout: 50 } }, async (orm) => {
      await insert(orm, 'locked');
      await holder.query('begin');
      await holder.query("select * from note where text = 'locked' for update");
      const error: unknown = await orm.em
        .fork()
        .execute("update note set text = 'locked' where text = 'locked'")
        .catch((thrown: unknown) => thrown);
      await holder.query('rollback');
      expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    });
  });

  it('if a statement takes too long, or two statements wait for each other', async () => {
    await withOrm({ timeLimits: { statement_timeout: 500 } }, async (orm) => {
      const error: unknown = await orm.em
        .fork()
        .execute('select pg_sleep(30)')
        .catch((thrown: unknown) => thrown);
      expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    });
    await withOrm({}, async (orm) => {
      await orm.em.fork().execute("insert into note (id, text) values (2000001, 'a'), (2000002, 'b')");
      const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const crossing = (ids: readonly number[], here: () => void, there: Promise<void>) =>
        orm.em.fork().transactional(async (em) => {
          await em.execute('select * from note where id = ? for update', [ids[0]]);
          here();
          await there;
          await em.execute('select * from note where id = ? for update', [ids[1]]);
        });
      const outcomes = await Promise.allSettled([
        crossing([2000001, 2000002], first.resolve, second.promise),
        crossing([2000002, 2000001], second.resolve, first.promise),
      ]);
      const deadlock = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(refusalOfDatabase(deadlock.reason)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    });
  });

  it.each([
    ['refuses connections', { url: 'postgres://nobody@127.0.0.1:1/postgres' }],
    ['has no socket', { socketDir: '/nowhere/at/all' }],
  ])('if the server %s', async (_how, server) => {
    const client = new pg.Client(connectionTo(server, 'postgres'));
    const error: unknown = await client.connect().catch((thrown: unknown) => thrown);
    expect(refusalOfDatabase(error)).toMatchObject({ status: 503 });
  });

  it.each(['57P01', '57P02', '57P03', '53300', '25006', '40001', '08006'])('with SQLSTATE %s', (code) => {
    expect(refusalOfDatabase(Object.assign(new Error('no'), { code }))).toMatchObject({ status: 503 });
  });

  it.each(['53100', 'ENOSPC'])('but a disk that is full (%s) is INSUFFICIENT_STORAGE', (code) => {
    expect(refusalOfDatabase(Object.assign(new Error('no'), { code }))).toMatchObject({ status: 507 });
  });

  it("a full disk is INSUFFICIENT_STORAGE also if it is the cause of a library's own error", () => {
    const cause = Object.assign(new Error('no'), { code: 'ENOSPC' });
    const error = Object.assign(new Error('Cannot write file', { cause }), { code: 'E_CANNOT_WRITE_FILE' });
    expect(refusalOfDatabase(error)).toMatchObject({ code: 'INSUFFICIENT_STORAGE', retryAfterSeconds: 60 });
  });

  it.each([
    ['a unique violation', Object.assign(new Error('no'), { code: '23505' })],
    ['a file that is missing', Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open' })],
    ['a bug of the service', new TypeError('Cannot read properties of undefined')],
  ])('%s is neither UPSTREAM_UNAVAILABLE nor INSUFFICIENT_STORAGE', (_what, error) => {
    expect(refusalOfDatabase(error)).toBeUndefined();
  });
});

describe('a pool whose connections are all in use for too long', () => {
  it('is stuck until a connection becomes free; while the server is unreachable, it does not count as stuck', async () => {
    await withOrm({ poolMax: 1 }, async (orm) => {
      const watch = await watchPool(orm, { ...database, stuckAfterMillis: 100 });
      const nowhere = await watchPool(orm, {
        server: { socketDir: '/nowhere/at/all' },
        name: database.name,
        stuckAfterMillis: 100,
      });
      expect(await watch.isStuck()).toBe(false);
      await orm.em.fork().transactional(async () => {
        while (!(await watch.isStuck())) await sleep(10);
        expect(await nowhere.isStuck()).toBe(false);
      });
      while (await watch.isStuck()) await sleep(10);
      watch.stop();
      nowhere.stop();
    });
  });
});

describe('connections that are lost while they are not in use', () => {
  it('are one line of the log with their number and the reason, and further ones are one later line', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    await withOrm({ poolMax: 3 }, async (orm) => {
      const end = await logLostConnections(orm, log);
      const loseThree = async () => {
        await Promise.all([1, 2, 3].map(() => orm.em.fork().execute('select pg_sleep(0.1)')));
        await eventually(async () => (await terminate("state = 'idle'")) === 3);
      };
      await loseThree();
      await eventually(async () => lines.length === 1);
      expect(lines[0]).toMatchObject({
        level: 40,
        connections: 3,
        reason: expect.stringMatching(/terminat/),
        msg: expect.stringMatching(/^connections to the database were lost/),
      });
      await loseThree();
      const pool = await orm.em.getConnection().getNativeClient();
      await eventually(async () => pool.totalCount === 0);
      expect(lines).toHaveLength(1);
      end();
      expect(lines[1]).toMatchObject({ connections: 3 });
    });
  });
});

async function textsLike(pattern: string): Promise<unknown[]> {
  return (await admin.query('select text from note where text like $1', [pattern])).rows;
}

/** Resolves once that backend has ended. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    const { rowCount } = await admin.query('select 1 from pg_stat_activity where pid = $1', [pid]);
    if (rowCount === 0) return;
  }
}
