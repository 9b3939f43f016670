import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { databaseIdempotency, keyedRequestLimiter } from '#server/rest/idempotency.database.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import type { JournalChanges } from '../../subgraphs/squad/storage/journal-changes.ts';
import type { DatabaseJournals } from '../../subgraphs/squad/storage/journal.database.ts';
import type { Position } from '../../subgraphs/squad/storage/journal-tables.ts';
import { journalRetention } from '../../subgraphs/squad/retention.ts';
import { squads } from '../../subgraphs/squad/squads/squad.journal.ts';
import { eventually } from '../support/eventually.ts';
import { entries, numbers } from './journals/kinds.ts';
import { databaseStore, log, type DatabaseStore } from './journals/stores.ts';
import { writeOnce } from './journals/write-once.ts';

/** How often the process of a keyed request is killed. */
const KILLS = Number(process.env.JOURNAL_KILLS ?? 4);

/** Reports changes inside of this process. The test can suppress reports. */
class TestChanges implements JournalChanges {
  isLossy = false;
  private readonly events = new EventEmitter().setMaxListeners(0);

  async subscribe(name: string, listener: (position: Position) => void): Promise<() => void> {
    this.events.on(name, listener);
    return () => this.events.off(name, listener);
  }
  publish(name: string, position: Position): void {
    if (!this.isLossy) this.events.emit(name, position);
  }
  onReady(listener: () => void): void {
    this.events.on(' ready', listener);
  }
  /** Tells the listeners that reports arrive again, as a restored connection does. */
  ready(): void {
    this.events.emit(' ready');
  }
}

describe('journals in PostgreSQL', () => {
  const changes = new TestChanges();
  let store: DatabaseStore;
  let one: DatabaseJournals;
  let other: DatabaseJournals;
  beforeAll(async () => {
    store = await databaseStore([changes, changes]);
    [one, other] = store.instances as [DatabaseJournals, DatabaseJournals];
  });
  afterAll(() => store?.close());
  const sql = <Row>(text: string, values: unknown[]) => store.orms[0]!.em.fork().execute<Row[]>(text, values);
  const unit = () => new UnitOfWork(store.orms[0], ANONYMOUS, log, NO_ORIGIN);
  const add = (journals: DatabaseJournals, id: string, n: number) =>
    journals.of(numbers).change(id, () => [{ n }]);

  test('a follower that has missed reports gets the changes in order when reports are possible again', async () => {
    const id = randomUUID();
    const received: number[] = [];
    const { stop } = await other.of(numbers).follow(id, (list) => received.push(list.length));
    await add(one, id, 1);
    await eventually(async () => received.length === 1);
    changes.isLossy = true;
    for (const n of [2, 3, 4]) await add(one, id, n);
    changes.isLossy = false;
    changes.ready();
    await eventually(async () => received.length === 4);
    expect(received).toEqual([1, 2, 3, 4]);
    changes.isLossy = true;
    await add(one, id, 5);
    changes.isLossy = false;
    await add(one, id, 6); // this report comes after a lost one
    await eventually(async () => received.length === 6);
    expect(received).toEqual([1, 2, 3, 4, 5, 6]);
    stop();
  });

  test('instances agree after PostgreSQL has lost the last records, and others were written in their place', async () => {
    const id = randomUUID();
    for (const n of [1, 2]) await add(one, id, n);
    const [kept] = await sql<{ seq: number; mark: string }>('select seq, mark from journal where id = ?', [
      id,
    ]);
    for (const n of [3, 4]) await add(one, id, n);
    expect(await other.of(numbers).read(id)).toEqual([1, 2, 3, 4]);
    await sql('delete from journal_record where id = ? and seq > ?', [id, kept!.seq]);
    await sql('update journal set seq = ?, mark = ? where id = ?', [kept!.seq, kept!.mark, id]);
    const third = (await store.fresh()) as DatabaseJournals;
    for (const n of [30, 40]) await add(third, id, n);
    for (const journals of [one, other, third])
      expect(await journals.of(numbers).read(id)).toEqual([1, 2, 30, 40]);
    await add(one, id, 5);
    expect(await other.of(numbers).read(id)).toEqual([1, 2, 30, 40, 5]);
  });

  test('an instance that has read a journal before its records became part of a snapshot reads the newest ones, too', async () => {
    const id = randomUUID();
    await add(one, id, 0);
    expect(await other.of(numbers).read(id)).toEqual([0]);
    for (let n = 1; n <= 1_200; n += 100)
      await one.of(numbers).change(id, () => Array.from({ length: 100 }, (_one, i) => ({ n: n + i })));
    const [head] = await sql<{ base: number; records: number }>(
      'select base, (select count(*)::int from journal_record r where r.id = j.id) as records from journal j where id = ?',
      [id],
    );
    expect(head!.base).toBeGreaterThan(500);
    expect(head!.records).toBeLessThan(700);
    expect((await other.of(numbers).read(id)).at(-1)).toBe(1_200);
    await add(other, id, 7);
    expect((await one.of(numbers).read(id)).slice(-2)).toEqual([1_200, 7]);
  });

  test('a journal that only transactions write is shortened as well, also if they end at the same time', async () => {
    const ids = [randomUUID(), randomUUID()];
    for (let n = 1; n <= 1_200; n += 100)
      await Promise.all(
        ids.map((id) =>
          unit().transaction(() =>
            one.of(numbers).change(id, () => Array.from({ length: 100 }, (_one, i) => ({ n: n + i }))),
          ),
        ),
      );
    for (const id of ids) {
      const [head] = await sql<{ base: number; records: number }>(
        'select base, (select count(*)::int from journal_record r where r.id = j.id) as records from journal j where id = ?',
        [id],
      );
      expect(head!.base).toBeGreaterThan(500);
      expect(head!.records).toBeLessThan(700);
      for (const journals of [one, other])
        expect((await journals.of(numbers).read(id)).slice(-2)).toEqual([1_199, 1_200]);
    }
  });

  test('a transaction reads its own writes; other requests and listeners get them after the commit, and never after a rollback', async () => {
    const [id, second] = [randomUUID(), randomUUID()];
    const received: number[] = [];
    const { stop } = await other.of(numbers).follow(id, (list) => received.push(list.length));
    await add(one, id, 1);
    // Reads outside of this transaction, as a request at another instance does.
    const readAtOther = AsyncResource.bind(() => other.of(numbers).read(id));
    await unit().transaction(async () => {
      await add(one, id, 2);
      await add(one, second, 9);
      expect(await one.of(numbers).read(id)).toEqual([1, 2]);
      expect(await readAtOther()).toEqual([1]);
    });
    // The time limit is shorter than the time until the next check, which would find the change, too.
    await eventually(async () => received.length === 2, 10_000);
    for (const journals of [one, other]) {
      expect(await journals.of(numbers).read(id)).toEqual([1, 2]);
      expect(await journals.of(numbers).read(second)).toEqual([9]);
    }
    const failure = new Error('planned');
    const failing = unit().transaction(async () => {
      await one.of(numbers).rewrite(id, () => []);
      await add(one, second, 10);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    expect(await one.of(numbers).read(id)).toEqual([1, 2]);
    expect(await other.of(numbers).read(second)).toEqual([9]);
    expect(received).toEqual([1, 2]);
    stop();
  });

  test('a transaction continues after a rollback to its savepoint without the writes in between', async () => {
    const id = randomUUID();
    const work = unit();
    await work.transaction(async () => {
      await add(one, id, 1);
      const refused = await work.inSavepoint(
        async () => {
          await add(one, id, 2);
          return work.em.execute('select 1 / 0').then(
            () => 'done',
            () => 'refused',
          );
        },
        (result) => result === 'refused',
      );
      expect(refused).toBe('refused');
      await add(one, id, 3);
    });
    for (const journals of [one, other]) expect(await journals.of(numbers).read(id)).toEqual([1, 3]);
  });

  test('of two requests that each write one journal and then read the other, at least one finds the write of the other', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [left, right] = [randomUUID(), randomUUID()];
      await Promise.all([add(one, left, 0), add(one, right, 0)]);
      const inTransaction = unit().transaction(async () => {
        await add(one, left, 1);
        const found = await one.of(numbers).read(right);
        await new Promise(setImmediate);
        return found.includes(1);
      });
      const outside = (async () => {
        await add(other, right, 1);
        return (await other.of(numbers).read(left)).includes(1);
      })();
      expect(await Promise.all([inTransaction, outside])).toContain(true);
    }
  });

  test('simultaneous changes of one journal, within transactions and outside of them, lose nothing', async () => {
    const id = randomUUID();
    await Promise.all(
      Array.from({ length: 12 }, (_one, n) =>
        n % 3 === 0
          ? other.of(entries).change(id, (list) => [{ name: String(n), before: list.length }])
          : unit().transaction(async () => {
              await one.of(entries).read(id);
              await one.of(entries).change(id, (list) => [{ name: String(n), before: list.length }]);
            }),
      ),
    );
    const list = await other.of(entries).read(id);
    expect(list.map(({ before }) => before)).toEqual(Array.from({ length: 12 }, (_one, n) => n));
    expect(new Set(list.map(({ name }) => name)).size).toBe(12);
  });

  test('a journal is removed after the days for which its kind is kept, and can then begin again', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const created = (id: string) =>
      ({
        type: 'created',
        id,
        gymId: id,
        hostId: id,
        routineId: null,
        routineVersion: null,
        at: '2026-01-01',
      }) as const;
    for (const id of [old, young]) await one.of(squads).change(id, () => [created(id)]);
    await sql("update journal set changed_at = now() - interval '91 days' where id = ?", [old]);
    const rule = journalRetention.find(({ what }) => what === 'squad_squads')!;
    const work = unit();
    expect(await work.transaction(() => rule.run(work, new Date(Date.now() - 90 * DAY_MILLIS)))).toBe(1);
    expect(await store.stored('squads', old)).toBe('');
    for (const journals of [one, other]) {
      expect((await journals.of(squads).read(old)).status).toBe('NONE');
      expect((await journals.of(squads).read(young)).status).toBe('LOBBY');
    }
    expect((await one.of(squads).change(old, () => [created(old)])).status).toBe('LOBBY');
    expect((await other.of(squads).read(old)).status).toBe('LOBBY');
  });

  test('a keyed request that is repeated after its process was killed is carried out exactly once', async () => {
    const id = randomUUID();
    const program = path.join(import.meta.dirname, 'programs/keyed-writer.ts');
    const { server, name, preparesStatements } = store.clone;
    const limiter = keyedRequestLimiter();
    let next = 0;
    for (let life = 0; life < KILLS; life += 1) {
      const child = spawn(
        process.execPath,
        [program, JSON.stringify({ server, name, preparesStatements }), id, String(next)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const enough = Promise.withResolvers<void>();
      let output = '';
      child.stdout.on('data', (bytes: Buffer) => {
        output += bytes.toString('utf8');
        if (output.split('\n').length > 5) enough.resolve();
      });
      await enough.promise;
      await sleep(Math.random() * 5);
      child.kill('SIGKILL');
      await once(child, 'close');
      const acknowledged = output.split('\n').slice(0, -1).map(Number);
      next = (acknowledged.at(-1) ?? next) + 1;
      // The client has no answer to this request, and sends it again.
      await writeOnce(databaseIdempotency(unit(), limiter), one.of(numbers), id, next);
      next += 1;
      const stored = await other.of(numbers).read(id);
      expect(stored).toEqual(
        Array.from({ length: next * 2 }, (_one, n) => Math.floor(n / 2)).slice(-stored.length),
      );
      expect(stored.length).toBeGreaterThanOrEqual(Math.min(100, next * 2));
    }
  });
});
