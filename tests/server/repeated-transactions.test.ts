import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { buildSchema, graphql } from 'graphql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { refusalOfDatabase } from '#server/database/refusals.ts';
import {
  answerOnce,
  inSavepointOf,
  resolveKeyedFieldsInSavepoints,
} from '#server/graphql/keyed-mutations.ts';
import { createLogger } from '#server/observability/logger.ts';
import { noteOutsideEffect } from '#server/outside-effects.ts';
import type { StoredAnswer } from '#server/rest/idempotency.ts';
import { databaseIdempotency, keyedRequestLimiter } from '#server/rest/idempotency.database.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';

const EntrySchema = defineEntity({
  name: 'Entry',
  properties: { id: p.uuid().primary(), text: p.text() },
});
class Entry extends EntrySchema.class {}
EntrySchema.setClass(Entry);

class CreateEntries extends Migration {
  override up(): void {
    this.addSql('create table entry (id uuid primary key, text text not null)');
    this.addSql('create table account (number int primary key, amount int not null)');
  }
}

const declaration: DatabaseDeclaration = {
  name: 'platform_repetition',
  entities: [Entry],
  migrations: [{ name: 'create_entries', class: CreateEntries }],
};

const log = createLogger('repetition', 'silent');
let database: ClonedDatabase;
let proxy: DatabaseProxy;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase(declaration);
  proxy = await startDatabaseProxy(database.server);
  orm = await openDatabase(declaration, {
    ...database,
    server: { url: `postgres://postgres@${proxy.host}:${proxy.port}/postgres` },
  });
});
afterAll(async () => {
  await orm.close(true);
  await proxy.stop();
  await database.drop();
});
beforeEach(() => orm.em.fork().execute('truncate entry, account'));

const newUnit = (): UnitOfWork => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
const texts = async (): Promise<string[]> =>
  (await orm.em.fork().execute<{ text: string }[]>('select text from entry order by text')).map(
    ({ text }) => text,
  );
const write = (unit: UnitOfWork, text: string) =>
  unit.em.execute('insert into entry values (?, ?)', [randomUUID(), text]);
/** Ends the connection of the running transaction, as a failover does. */
const loseConnection = (unit: UnitOfWork) => unit.em.execute('select pg_terminate_backend(pg_backend_pid())');

/** Work that fails at its first run. */
function failingOnce(unit: UnitOfWork, fail: () => Promise<unknown> = () => loseConnection(unit)) {
  const runs = { count: 0 };
  const work = async (): Promise<string> => {
    runs.count += 1;
    await write(unit, `run ${runs.count}`);
    if (runs.count === 1) await fail();
    return `result ${runs.count}`;
  };
  return { runs, work };
}

describe('a transaction whose connection is lost before its COMMIT', () => {
  it('runs again; what earlier runs wrote, and their tasks for after the commit, are dropped', async () => {
    const unit = newUnit();
    const { work } = failingOnce(unit);
    const after: string[] = [];
    const result = await unit.transaction(async () => {
      const done = work();
      await unit.afterCommit(() => void after.push('published'));
      return done;
    });
    expect(result).toBe('result 2');
    expect(await texts()).toEqual(['run 2']);
    expect(after).toEqual(['published']);
  });

  it('runs again if the connection is lost while entities are written', async () => {
    const unit = newUnit();
    let runs = 0;
    await unit.transaction(async () => {
      runs += 1;
      unit.em.create(Entry, { id: randomUUID(), text: `entity ${runs}` });
      if (runs === 1) proxy.loseAnswerTo('insert into "entry"');
    });
    expect(await texts()).toEqual(['entity 2']);
  });

  it('runs at most three times', async () => {
    const unit = newUnit();
    let runs = 0;
    const outcome = unit.transaction(async () => {
      runs += 1;
      await write(unit, 'never');
      await loseConnection(unit);
    });
    const error: unknown = await outcome.catch((thrown: unknown) => thrown);
    expect(refusalOfDatabase(error)).toMatchObject({ status: 503, retryAfterSeconds: 2 });
    expect(runs).toBe(3);
    expect(await texts()).toEqual([]);
  });

  it.each([
    ['has had an effect outside of the database', async () => noteOutsideEffect()],
    [
      'has contained a transaction of another unit that was committed',
      async () => {
        const other = newUnit();
        await other.transaction(() => write(other, 'other'));
      },
    ],
  ])('does not run again if it %s', async (_which, effect) => {
    const unit = newUnit();
    const { runs, work } = failingOnce(unit);
    const outcome = unit.transaction(async () => {
      await effect();
      return work();
    });
    await expect(outcome).rejects.toThrow(Error);
    expect(runs.count).toBe(1);
  });

  it('does not run again if its unit of work has loaded entities before, which it may have changed', async () => {
    const unit = newUnit();
    await write(unit, 'old');
    const entry = await unit.em.findOneOrFail(Entry, { text: 'old' });
    const { runs, work } = failingOnce(unit);
    const outcome = unit.transaction(async () => {
      entry.text += ' and changed';
      return work();
    });
    await expect(outcome).rejects.toThrow(Error);
    expect(runs.count).toBe(1);
    expect(await texts()).toEqual(['old']);
  });

  it('does not run again after any other error of a statement', async () => {
    const unit = newUnit();
    const { runs, work } = failingOnce(unit, () => unit.em.execute('select 1 / 0'));
    await expect(unit.transaction(work)).rejects.toMatchObject({ code: '22012' });
    expect(runs.count).toBe(1);
  });

  it('begins on another connection if that of its BEGIN is lost', async () => {
    for (const unit of [newUnit(), newUnit()]) {
      proxy.loseAnswerTo('begin');
      await unit.transaction(() => write(unit, 'begun'));
    }
    expect(await texts()).toEqual(['begun', 'begun']);
  });
});

it('two transactions that wait for each other are both carried out', async () => {
  await orm.em.fork().execute('insert into account values (1, 0), (2, 0)');
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const crossing = (numbers: readonly number[], here: () => void, there: Promise<void>) => {
    const unit = newUnit();
    return unit.transaction(async () => {
      for (const number of numbers) {
        await unit.em.execute('update account set amount = amount + 1 where number = ?', [number]);
        here();
        await there;
      }
    });
  };
  await Promise.all([
    crossing([1, 2], first.resolve, second.promise),
    crossing([2, 1], second.resolve, first.promise),
  ]);
  expect(await orm.em.fork().execute('select amount from account')).toEqual([{ amount: 2 }, { amount: 2 }]);
});

describe('a COMMIT whose answer is lost', () => {
  it('is not repeated without a key, because it may have happened', async () => {
    const unit = newUnit();
    const outcome = unit.transaction(async () => {
      await write(unit, 'unsure');
      proxy.loseAnswerTo('commit');
    });
    const error: unknown = await outcome.catch((thrown: unknown) => thrown);
    expect(refusalOfDatabase(error)).toMatchObject({ status: 503 });
    await eventually(async () => (await texts()).length > 0);
    expect(await texts()).toEqual(['unsure']);
  });

  it('is repeated with a key, and finds the stored answer', async () => {
    const unit = newUnit();
    let runs = 0;
    const result = await once(unit, async () => {
      runs += 1;
      await write(unit, `run ${runs}`);
      proxy.loseAnswerTo('commit');
      return { status: 201, headers: {}, body: `run ${runs}` };
    });
    expect(result).toEqual({ answer: { status: 201, headers: {}, body: 'run 1' }, replayed: true });
    expect(await texts()).toEqual(['run 1']);
  });

  it('is not repeated with a key whose answer is not stored', async () => {
    const unit = newUnit();
    const outcome = once(unit, async () => {
      await write(unit, 'a failed log-in');
      proxy.loseAnswerTo('commit');
      return undefined;
    });
    await expect(outcome).rejects.toThrow(Error);
    await eventually(async () => (await texts()).length > 0);
    expect(await texts()).toEqual(['a failed log-in']);
  });
});

describe('a keyed request', () => {
  it('runs again as a whole if its connection is lost', async () => {
    const unit = newUnit();
    const { work } = failingOnce(unit);
    const { answer } = await once(unit, async () => ({ status: 201, headers: {}, body: await work() }));
    expect(answer?.body).toBe('result 2');
    expect(await texts()).toEqual(['run 2']);
  });

  it('runs again if it is a mutation, although GraphQL returns the error of a field instead of throwing it', async () => {
    const unit = newUnit();
    const schema = buildSchema('type Query { nothing: Int } type Mutation { one: String two: String }');
    resolveKeyedFieldsInSavepoints(schema);
    const { runs, work } = failingOnce(unit);
    const rootValue = { one: () => write(unit, 'one').then(() => 'one'), two: work };
    const execute = async (): Promise<StoredAnswer> => {
      const { data, errors } = await graphql({
        schema,
        source: 'mutation { one two }',
        rootValue,
        contextValue: { inSavepoint: inSavepointOf(unit) },
      });
      const failed = errors?.map(({ message }) => ({ message, extensions: { http: { status: 503 } } }));
      return { status: 200, headers: {}, body: JSON.stringify({ data, errors: failed }) };
    };
    const { answer } = await answerOnce(
      databaseIdempotency(unit, keyedRequestLimiter()),
      keyedRequest(),
      execute,
    );
    expect(JSON.parse(answer.body ?? '')).toEqual({ data: { one: 'one', two: 'result 2' } });
    expect(runs.count).toBe(2);
    expect(await texts()).toEqual(['one', 'run 2']);
  });
});

it('a read whose connection is lost reads on another one', async () => {
  const unit = newUnit();
  await write(unit, 'read');
  proxy.loseAnswerTo('where text <> ');
  expect(await unit.read('select text from entry where text <> ?', ['x'])).toEqual([{ text: 'read' }]);
});

const keyedRequest = () => ({
  caller: 'somebody',
  key: randomUUID(),
  operation: 'POST /entries',
  fingerprint: 'f',
});

const once = (unit: UnitOfWork, perform: () => Promise<StoredAnswer | undefined>) =>
  databaseIdempotency(unit, keyedRequestLimiter()).once(keyedRequest(), perform);
