import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { addressOf, connectionTo } from '#server/database/connection.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';

class CreateWords extends Migration {
  override up(): void {
    this.addSql('create table word (text text primary key)');
  }
}
const declaration: DatabaseDeclaration = {
  name: 'platform_failover',
  entities: [],
  migrations: [{ name: 'create_words', class: CreateWords }],
};

/**
 * A PostgreSQL server at a TCP address. A read-only one refuses writes, as a standby and a primary after its demotion
 * do.
 */
interface Server {
  postgres: EmbeddedPostgres;
  proxy: DatabaseProxy;
  words(): Promise<string[]>;
  setReadOnly(isReadOnly: boolean): Promise<void>;
  stop(): Promise<void>;
}

async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'failover-'));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  const proxy = await startDatabaseProxy(postgres.server);
  await (await openDatabase(declaration, { server: postgres.server })).close(true);
  const admin = new pg.Client(connectionTo(postgres.server, declaration.name));
  await admin.connect();
  return {
    postgres,
    proxy,
    async words() {
      const { rows } = await admin.query<{ text: string }>('select text from word order by text');
      return rows.map(({ text }) => text);
    },
    async setReadOnly(isReadOnly) {
      await admin.query(`alter system set default_transaction_read_only = ${isReadOnly}`);
      await admin.query('select pg_reload_conf()');
      const wanted = isReadOnly ? 'on' : 'off';
      for (;;) {
        const { rows } = await admin.query<{ now: string }>(
          "select current_setting('default_transaction_read_only') as now",
        );
        if (rows[0]?.now === wanted) return;
      }
    },
    async stop() {
      await admin.end();
      await proxy.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const log = createLogger('failover', 'silent');
let one: Server;
let two: Server;
let url: string;
let orm: MikroORM;
beforeAll(async () => {
  [one, two] = await Promise.all([startServer(), startServer()]);
  await two.setReadOnly(true);
  url = `postgres://postgres@127.0.0.1:${two.proxy.port},127.0.0.1:${one.proxy.port}/postgres`;
  orm = await openDatabase(declaration, { server: { url } });
});
afterAll(async () => {
  await orm?.close(true);
  await Promise.all([one?.stop(), two?.stop()]);
});

/** Writes a word as a request does. */
async function write(): Promise<string> {
  const word = randomUUID();
  const unit = new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
  await unit.transaction(() => unit.em.execute('insert into word values (?)', [word]));
  return word;
}

describe('a DATABASE_URL with several hosts', () => {
  it('is shown with all its hosts in messages', () => {
    expect(addressOf({ url })).toBe(`127.0.0.1:${two.proxy.port}, 127.0.0.1:${one.proxy.port}`);
  });

  it('leads to the server that accepts writes', async () => {
    const words = await Promise.all([1, 2, 3, 4].map(write));
    expect(await one.words()).toEqual(expect.arrayContaining(words));
    expect(await two.words()).toEqual([]);
  });

  it('leads to the new primary after a failover, without an error for the next request', async () => {
    await one.setReadOnly(true);
    await two.setReadOnly(false);
    const word = await write();
    expect(await two.words()).toContain(word);
    expect(await one.words()).not.toContain(word);
  });

  it('leads to the new primary also if the old one is unreachable', async () => {
    two.proxy.refuse();
    await one.setReadOnly(false);
    const word = await write();
    expect(await one.words()).toContain(word);
    two.proxy.accept();
    await two.setReadOnly(true);
  });

  it('leads to a 503 while no server accepts writes, and works again afterwards', async () => {
    await one.setReadOnly(true);
    const error: unknown = await write().catch((thrown: unknown) => thrown);
    expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
    await expect(new PlatformClient(connectionTo({ url }, declaration.name)).connect()).rejects.toThrow(
      'None of the PostgreSQL servers accepts writes',
    );
    await one.setReadOnly(false);
    const word = await write();
    expect(await one.words()).toContain(word);
  });
});

describe('a DATABASE_URL with one host', () => {
  it('gets new connections after the server has refused a write, because the address may lead to another server', async () => {
    const single = await openDatabase(declaration, {
      server: { url: `postgres://postgres@127.0.0.1:${one.proxy.port}/postgres` },
    });
    try {
      const unit = new UnitOfWork(single, ANONYMOUS, log, NO_ORIGIN);
      const readOnly = () =>
        single.em
          .fork()
          .execute('set session characteristics as transaction read only; select pg_sleep(0.2)');
      await Promise.all([1, 2, 3, 4].map(readOnly)); // at the same time, so that each has a connection of its own
      const before = one.proxy.opened;
      await unit.transaction(() => unit.em.execute("insert into word values ('after the failover')"));
      expect(one.proxy.opened).toBe(before + 1);
      expect(await one.words()).toContain('after the failover');
    } finally {
      await single.close(true);
    }
  });
});
