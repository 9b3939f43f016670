import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { ANONYMOUS } from '../../server/auth/viewer.ts';
import { openDatabase } from '../../server/database/database.ts';
import { RolledBackError } from '../../server/database/platform-client.ts';
import { databaseIdempotency, keyedRequestLimiter } from '../../server/rest/idempotency.database.ts';
import type { StoredAnswer } from '../../server/rest/idempotency.ts';
import { NO_ORIGIN, UnitOfWork } from '../../server/unit-of-work.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';

const declaration = { name: 'keyed_requests', entities: [], migrations: [] };
const answer = (status: number): StoredAnswer => ({ status, headers: {}, body: `"${status}"` });

let database: ClonedDatabase;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase(declaration);
  orm = await openDatabase(declaration, { server: database.server, name: database.name });
  await orm.em.fork().execute('create table written (key text)');
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const unitOf = () => new UnitOfWork(orm, ANONYMOUS, pino({ level: 'silent' }), NO_ORIGIN);

/** Performs a request with this key in a unit of work of its own. */
const send = (key: string, perform: (unit: UnitOfWork) => Promise<StoredAnswer | undefined>) => {
  const unit = unitOf();
  const keyed = { caller: 'user:x', key, operation: 'POST /x', fingerprint: 'f' };
  return databaseIdempotency(unit, keyedRequestLimiter()).once(keyed, () => perform(unit));
};

const writes = async (unit: UnitOfWork, key: string) =>
  void (await unit.em.execute('insert into written values (?)', [key]));
const countOf = async (key: string): Promise<number> =>
  (await orm.em.fork().execute<unknown[]>('select 1 from written where key = ?', [key])).length;
const failing = (unit: UnitOfWork) => unit.em.execute('select 1 / 0').catch(() => undefined);
const never = () => Promise.reject(new Error('the request is performed again'));

describe('a request with an Idempotency-Key', () => {
  it('commits its writes with its answer, also if it is refused', async () => {
    for (const status of [201, 409]) {
      const key = randomUUID();
      const first = await send(key, async (unit) => {
        await writes(unit, key);
        return answer(status);
      });
      expect(first).toEqual({ answer: answer(status), replayed: false });
      expect(await send(key, never)).toEqual({ answer: answer(status), replayed: true });
      expect(await countOf(key)).toBe(1);
    }
  });

  it('stores its refusal also if one of its statements has failed, and then rolls back its writes', async () => {
    const key = randomUUID();
    let performed = 0;
    const first = await send(key, async (unit) => {
      performed += 1;
      await writes(unit, key);
      await failing(unit);
      return answer(409);
    });
    expect(first).toEqual({ answer: answer(409), replayed: false });
    expect(performed).toBe(1);
    expect(await countOf(key)).toBe(0);
    expect(await send(key, never)).toEqual({ answer: answer(409), replayed: true });
  });

  it('is not acknowledged if one of its statements has failed', async () => {
    const key = randomUUID();
    await expect(
      send(key, async (unit) => {
        await failing(unit);
        return answer(201);
      }),
    ).rejects.toThrow(RolledBackError);
    expect(await send(key, async () => answer(201))).toEqual({ answer: answer(201), replayed: false });
  });

  it('frees its key if it has no answer that can be stored', async () => {
    for (const hasFailed of [false, true]) {
      const key = randomUUID();
      const first = await send(key, async (unit) => {
        await writes(unit, key);
        if (hasFailed) await failing(unit);
        return undefined;
      });
      expect(first).toEqual({ answer: undefined, replayed: false });
      expect(await countOf(key)).toBe(hasFailed ? 0 : 1);
      expect(await send(key, async () => answer(201))).toEqual({ answer: answer(201), replayed: false });
    }
  });

  it('throws the error of the request, and frees its key', async () => {
    const key = randomUUID();
    await expect(
      send(key, async (unit) => {
        await writes(unit, key);
        throw new RangeError('no answer');
      }),
    ).rejects.toThrow(RangeError);
    expect(await countOf(key)).toBe(0);
    expect(await send(key, async () => answer(201))).toMatchObject({ replayed: false });
  });
});
