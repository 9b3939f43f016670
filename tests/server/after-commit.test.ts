import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';

class CreateEntries extends Migration {
  override up(): void {
    this.addSql('create table entry (id uuid primary key, text text not null)');
  }
}

const declaration: DatabaseDeclaration = {
  name: 'platform_after_commit',
  entities: [],
  migrations: [{ name: 'create_entries', class: CreateEntries }],
};

const log = createLogger('after-commit', 'silent');
let database: ClonedDatabase;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase(declaration);
  orm = await openDatabase(declaration, database);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

let unit: UnitOfWork;
let done: string[];
beforeEach(async () => {
  await orm.em.fork().execute('truncate entry');
  unit = new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
  done = [];
});

const texts = async (): Promise<string[]> =>
  (await orm.em.fork().execute<{ text: string }[]>('select text from entry order by text')).map(
    ({ text }) => text,
  );
/** Writes a row, and adds a task for after its commit. */
async function write(text: string): Promise<void> {
  await unit.em.execute('insert into entry values (?, ?)', [randomUUID(), text]);
  await unit.afterCommit(() => void done.push(text));
}
const refuse = (): never => {
  throw new Error('refused');
};

describe('tasks for after the commit', () => {
  it('run in their order after the outermost transaction; those of a savepoint that was rolled back are dropped', async () => {
    await unit.transaction(async () => {
      await write('one');
      await unit.transaction(() => write('two'));
      await expect(unit.transaction(() => write('never').then(refuse))).rejects.toThrow('refused');
      await write('three');
      expect(done).toEqual([]);
    });
    expect(done).toEqual(['one', 'two', 'three']);
    expect(await texts()).toEqual(['one', 'three', 'two']);
  });

  it('run at once if no transaction of their unit is open, also in one of another unit', async () => {
    await write('alone');
    expect(done).toEqual(['alone']);
    await new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN).transaction(async () => {
      await unit.afterCommit(() => void done.push('of another unit'));
      expect(done).toEqual(['alone', 'of another unit']);
    });
  });
});

describe('two transactions of one unit at the same time, as those of the fields of a query', () => {
  it('have tasks of their own: those of a committed one run, although the other one fails later', async () => {
    const written = Promise.withResolvers<void>();
    const committed = Promise.withResolvers<void>();
    const failing = unit.transaction(async () => {
      await write('never');
      written.resolve();
      await committed.promise;
      refuse();
    });
    await written.promise;
    await unit.transaction(() => write('committed'));
    const doneBefore = [...done];
    committed.resolve();
    await expect(failing).rejects.toThrow('refused');
    expect(doneBefore).toEqual(['committed']);
    expect(done).toEqual(['committed']);
    expect(await texts()).toEqual(['committed']);
  });

  it('have tasks of their own: those of one that is open stay, although the other one fails', async () => {
    const begun = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<void>();
    const failing = unit.transaction(async () => {
      await begun.promise;
      await write('never');
      refuse();
    });
    const succeeding = unit.transaction(async () => {
      await write('committed');
      begun.resolve();
      await failed.promise;
    });
    await expect(failing).rejects.toThrow('refused');
    const doneBefore = [...done];
    failed.resolve();
    await succeeding;
    expect(doneBefore).toEqual([]);
    expect(done).toEqual(['committed']);
    expect(await texts()).toEqual(['committed']);
  });
});
