import { EventEmitter, once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase, type DatabaseDeclaration } from '#server/database/database.ts';
import { listenTo } from '#server/database/notifications.ts';
import { conflict, notFound, PlatformError } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { databaseSagaStore, SAGA_CHANNEL } from '#server/saga/saga-store.database.ts';
import { memorySagaStore } from '#server/saga/saga-store.memory.ts';
import type { Lease, SagaStore } from '#server/saga/saga-store.ts';
import { sagaEntities, sagaMigrations } from '#server/saga/saga-tables.ts';
import {
  isAtRest,
  isFinished,
  planned,
  sagaAction,
  type Saga,
  type SagaAction,
  type SagaDefinition,
} from '#server/saga/saga.ts';
import type { Boundary } from '#server/saga/saga-run.ts';
import { Sagas, type SagasOptions } from '#server/saga/sagas.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { eventually } from '../identity/support.ts';
import { cloneDatabase } from '../support/database.ts';

const declaration: DatabaseDeclaration = {
  name: 'platform_sagas',
  entities: sagaEntities,
  migrations: sagaMigrations,
};
const log = createLogger('sagas', 'silent');
const down = () => new PlatformError('UPSTREAM_UNAVAILABLE', 'down');

/** Another service: each key is an object that exists in it. It is idempotent and loses nothing. */
class Elsewhere {
  readonly there = new Set<string>();
  readonly calls: string[] = [];
  readonly events = new EventEmitter();
  /** The errors of the next calls of an action, in order. */
  readonly failures = new Map<string, (() => Error)[]>();
  private readonly atWork = new Map<string, number>();
  mostAtWork = 0;
  /** An action that is always refused. */
  refused: string | undefined;

  private async call(sagaId: string, what: string, work: () => void): Promise<void> {
    this.atWork.set(sagaId, (this.atWork.get(sagaId) ?? 0) + 1);
    this.mostAtWork = Math.max(this.mostAtWork, this.atWork.get(sagaId) ?? 0);
    this.calls.push(what);
    this.events.emit(what);
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.failures.get(what)?.shift();
    try {
      if (what === this.refused) throw conflict('refused');
      if (failure) throw failure();
      work();
    } finally {
      this.atWork.set(sagaId, (this.atWork.get(sagaId) ?? 0) - 1);
    }
  }

  action(name: string): SagaAction {
    return sagaAction<{ n: number }, { made: string }>({
      service: `${name}-service`,
      run: async ({ sagaId, idempotencyKey, input }) => {
        await this.call(sagaId, name, () => this.there.add(idempotencyKey));
        return { made: `${name}${input?.n ?? ''}` };
      },
      undo: ({ sagaId }) =>
        this.call(sagaId, `undo ${name}`, () => {
          if (!this.there.delete(`${sagaId}:${name}`)) throw notFound('thing', name);
        }),
    });
  }
}

describe.each(['database', 'memory'])('sagas in %s', (storage) => {
  let unitOf: () => UnitOfWork;
  let store: SagaStore;
  const closings: (() => Promise<void>)[] = [];
  /** The latest lease of each saga. */
  const leases = new Map<string, Lease>();
  const remembersLeases = (original: SagaStore): SagaStore => ({
    ...original,
    async claim(kinds, limit, lease) {
      const claimed = await original.claim(kinds, limit, lease);
      for (const { id } of claimed) leases.set(id, lease);
      return claimed;
    },
  });
  beforeAll(async () => {
    if (storage === 'memory') {
      unitOf = () => new UnitOfWork(undefined, ANONYMOUS, log, NO_ORIGIN);
      store = remembersLeases(memorySagaStore(unitOf));
      return;
    }
    const { server, name } = await cloneDatabase(declaration);
    const orm = await openDatabase(declaration, { server, name, migrate: false });
    const notifications = await listenTo(server, name, [SAGA_CHANNEL], log);
    closings.push(
      () => orm.close(true),
      () => notifications.close(),
    );
    unitOf = () => new UnitOfWork(orm, ANONYMOUS, log, NO_ORIGIN);
    store = remembersLeases(databaseSagaStore(unitOf, notifications));
  });
  const instances: Sagas[] = [];
  afterEach(() => Promise.all(instances.splice(0).map((sagas) => sagas.dispose())));
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
  });

  const begin = (definition: SagaDefinition, options: Partial<SagasOptions> = {}): Sagas => {
    const sagas = new Sagas({
      store,
      definitions: [definition],
      log,
      pollMillis: 10,
      // Longer than any test: on a busy machine a short lease could expire while its holder works. A test that needs an
      // expired lease calls `expire`.
      leaseMillis: 60_000,
      retry: { firstMillis: 10, capMillis: 20 },
      ...options,
    });
    instances.push(sagas);
    return sagas;
  };
  /** Makes the lease of a crashed instance expire, instead of waiting. */
  const expire = async (sagaId: string): Promise<void> => {
    const lease = leases.get(sagaId);
    if (lease) await store.renew(sagaId, { ...lease, millis: 0 });
  };
  /** A kind of its own, so that instances of other tests leave it alone. */
  const kindOf = (elsewhere: Elsewhere, more: Partial<SagaDefinition> = {}): SagaDefinition => ({
    kind: randomUUID(),
    actions: Object.fromEntries(['one', 'two', 'three'].map((name) => [name, elsewhere.action(name)])),
    ...more,
  });
  const planOf = ({ kind }: SagaDefinition, subject: string = randomUUID()) => ({
    kind,
    subject,
    actions: [{ name: 'one', input: { n: 1 } }, { name: 'two' }, { name: 'three' }],
  });
  /** Waits for changes until the saga has the expected state. */
  const until = async (id: string, isSo: (saga: Saga) => boolean = isFinished): Promise<Saga> => {
    const events = new EventEmitter();
    const stop = store.onChange((changed) => void (changed === id && events.emit('change')));
    try {
      for (;;) {
        const change = once(events, 'change');
        const saga = await store.find(id);
        if (saga && isSo(saga)) return saga;
        await change;
      }
    } finally {
      stop();
    }
  };
  const statuses = (saga: Saga) => saga.actions.map(({ name, status }) => `${name} ${status}`);
  /** Waits until the metrics have the expected value. */
  const figures = (
    registry: Registry,
    kind: string,
    { failed, waiting }: { failed: number; waiting: number },
  ) =>
    eventually(async () => {
      const text = await registry.metrics();
      return (
        text.includes(`sagas_undo_failed_total{kind="${kind}"} ${failed}\n`) &&
        text.includes(`sagas_waiting_for_decision{kind="${kind}"} ${waiting}\n`)
      );
    });

  it('run their actions in order, and end with the results of all', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    expect(saga).toMatchObject({ status: 'RUNNING', finishedAt: null });
    const done = await until(saga.id);
    expect(done).toMatchObject({
      status: 'DONE',
      result: { one: { made: 'one1' }, two: { made: 'two' }, three: { made: 'three' } },
      finishedAt: expect.anything(),
    });
    expect(done.actions[0]).toMatchObject({ service: 'one-service', attempts: 1, error: null });
    expect(elsewhere.calls).toEqual(['one', 'two', 'three']);
  });

  it('repeat a failing action until it succeeds', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('two', [down, () => new TypeError('ours'), down]);
    const definition = kindOf(elsewhere);
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    const failing = await until(saga.id, ({ actions }) => Boolean(actions[1]?.error));
    expect(failing).toMatchObject({
      status: 'RUNNING',
      actions: [{}, { status: 'PENDING', error: { code: 'UPSTREAM_UNAVAILABLE', message: 'down' } }, {}],
    });
    const done = await until(saga.id);
    expect(done).toMatchObject({
      status: 'DONE',
      actions: [{}, { attempts: 4, error: null }, { attempts: 1 }],
    });
    expect(elsewhere.calls).toEqual(['one', 'two', 'two', 'two', 'two', 'three']);
  });

  it('are undone in reverse if an action is refused, and undoing is repeated until it succeeds', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('three', [() => conflict('it is taken')]);
    elsewhere.failures.set('undo two', [down, () => new TypeError('ours')]);
    const definition = kindOf(elsewhere);
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    const undone = await until(saga.id);
    expect(undone).toMatchObject({ status: 'UNDONE', finishedAt: expect.anything() });
    expect(statuses(undone)).toEqual(['one UNDONE', 'two UNDONE', 'three FAILED']);
    expect(undone.actions[2]?.error).toEqual({ code: 'CONFLICT', message: 'it is taken' });
    expect(elsewhere.calls.slice(3)).toEqual(['undo three', 'undo two', 'undo two', 'undo two', 'undo one']);
    expect(elsewhere.there.size).toBe(0);
  });

  it('that cannot be undone undo the rest, and wait until RETRY', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('three', [() => conflict('it is taken')]);
    elsewhere.failures.set('undo two', [() => conflict('it is in use'), () => conflict('still in use')]);
    const definition = kindOf(elsewhere, { forgetsInputs: true });
    const registry = new Registry();
    const sagas = begin(definition, { registry });
    const plan = { ...planOf(definition), context: { actorId: 'somebody' } };
    const { saga } = await sagas.start(plan, unitOf());
    const waiting = await until(saga.id, isAtRest);
    expect(waiting).toMatchObject({
      status: 'UNDO_FAILED',
      finishedAt: null,
      context: plan.context,
      actions: [
        { input: null },
        { isUndoGivenUp: true, undoError: { code: 'CONFLICT', message: 'it is in use' } },
        { error: { message: 'it is taken' }, input: null },
      ],
    });
    expect(statuses(waiting)).toEqual(['one UNDONE', 'two DONE', 'three FAILED']);
    expect([...elsewhere.there]).toEqual([`${saga.id}:two`]);
    expect(await store.claim([definition.kind], 5, { holder: randomUUID(), millis: 60_000 })).toEqual([]);
    expect((await sagas.start(plan, unitOf())).isNew).toBe(false);
    await figures(registry, definition.kind, { failed: 1, waiting: 1 });

    const by = randomUUID();
    const retry = { action: 'RETRY', note: 'the last guest has left', by } as const;
    expect((await sagas.resolve(saga.id, retry, unitOf())).status).toBe('UNDOING');
    const stillWaiting = await until(
      saga.id,
      ({ undoing, status }) => status === 'UNDO_FAILED' && undoing?.round === 1,
    );
    expect(stillWaiting.actions[1]?.undoError?.message).toBe('still in use');
    await sagas.resolve(saga.id, retry, unitOf());
    const undone = await until(saga.id);
    expect(undone).toMatchObject({
      status: 'UNDONE',
      context: null,
      undoing: { round: 2, resolutions: [retry, retry] },
    });
    expect(elsewhere.there.size).toBe(0);
    await figures(registry, definition.kind, { failed: 2, waiting: 0 });
    await expect(sagas.resolve(saga.id, retry, unitOf())).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(sagas.resolve(uuidv7(), retry, unitOf())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that cannot be undone end with ACCEPT; of two simultaneous decisions the first counts', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('three', [() => conflict('it is taken')]);
    elsewhere.failures.set('undo two', [() => conflict('it is in use')]);
    const definition = kindOf(elsewhere);
    const sagas = begin(definition);
    const plan = planOf(definition);
    const { saga } = await sagas.start(plan, unitOf());
    await until(saga.id, isAtRest);
    const accept = { action: 'ACCEPT', note: 'it stays', by: randomUUID() } as const;
    const decisions = await Promise.allSettled(
      Array.from({ length: 5 }, () => sagas.resolve(saga.id, accept, unitOf())),
    );
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.find(saga.id)).toMatchObject({
      status: 'UNDONE',
      finishedAt: expect.anything(),
      undoing: { resolutions: [accept] },
    });
    expect([...elsewhere.there]).toEqual([`${saga.id}:two`]);
    expect((await sagas.start(plan, unitOf())).isNew).toBe(true);
  });

  it('give up undoing an action that fails for too long, and undo the rest', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('three', [() => conflict('it is taken')]);
    elsewhere.failures.set(
      'undo two',
      Array.from({ length: 1_000 }, () => down),
    );
    const definition = kindOf(elsewhere, { undoGiveUpAfterMillis: 1_000 });
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    const waiting = await until(saga.id, isAtRest);
    expect(waiting.status).toBe('UNDO_FAILED');
    expect(statuses(waiting)).toEqual(['one UNDONE', 'two DONE', 'three FAILED']);
    expect(waiting.actions[1]?.undoAttempts).toBeGreaterThan(1);
  });

  it('that are finished are removed after a time, in batches, and no others', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const sagas = begin(definition);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await sagas.start(planOf(definition), unitOf())).saga.id);
    for (const id of ids) await until(id);
    elsewhere.failures.set('two', [() => conflict('it is taken')]);
    elsewhere.failures.set('undo one', [() => conflict('it is in use')]);
    const { saga } = await sagas.start(planOf(definition), unitOf());
    await until(saga.id, isAtRest);
    const later = new Date(Date.now() + 60_000);
    const remove = (before: Date, limit: number) =>
      store.removeFinished(definition.kind, before, limit, unitOf());
    expect(await remove(new Date(Date.now() - 60_000), 10)).toBe(0);
    expect(await remove(later, 2)).toBe(2);
    expect(await remove(later, 2)).toBe(1);
    expect(await remove(later, 2)).toBe(0);
    expect((await store.find(saga.id))?.status).toBe('UNDO_FAILED');
  });

  it('drop their inputs at the end, if their definition says so', async () => {
    const definition = kindOf(new Elsewhere(), { forgetsInputs: true });
    const plan = { ...planOf(definition), context: { actorId: 'somebody' } };
    const { saga } = await begin(definition).start(plan, unitOf());
    const done = await until(saga.id);
    expect(done).toMatchObject({ status: 'DONE', context: null, result: { one: { made: 'one1' } } });
    expect(done.actions.map(({ input }) => input)).toEqual([null, null, null]);
  });

  it('are undone after their time limit', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set(
      'two',
      Array.from({ length: 1_000 }, () => down),
    );
    const definition = kindOf(elsewhere, { giveUpAfterMillis: 50 });
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    expect(statuses(await until(saga.id))).toEqual(['one UNDONE', 'two FAILED', 'three PENDING']);
    expect(elsewhere.there.size).toBe(0);
  });

  it('with independent actions continue beside one that fails, and never undo if refusals are retried', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('one', [() => conflict('refused'), down, down, down, down, down]);
    const definition = kindOf(elsewhere, { order: 'independent', onRefusal: 'retry' });
    const plan = planOf(definition);
    plan.actions[2] = { name: 'three', after: ['one'] } as (typeof plan.actions)[number];
    const { saga } = await begin(definition).start(plan, unitOf());
    const halfway = await until(saga.id, ({ actions }) => actions[1]?.status === 'DONE');
    expect(statuses(halfway)).toEqual(['one PENDING', 'two DONE', 'three PENDING']);
    expect((await until(saga.id)).status).toBe('DONE');
    expect(elsewhere.calls.filter((call) => call !== 'one')).toEqual(['two', 'three']);
  });

  it.each([false, true])(
    'continue after a crash at any boundary, and end once (refused: %s)',
    async (refused) => {
      const boundariesWithCrashAt = async (crashAt: number): Promise<number> => {
        const elsewhere = new Elsewhere();
        if (refused) elsewhere.refused = 'three';
        const definition = kindOf(elsewhere);
        let boundaries = 0;
        const observe = ({ sagaId }: Boundary) => {
          boundaries += 1;
          if (boundaries !== crashAt) return;
          void expire(sagaId);
          throw new Error('crash');
        };
        const sagas = begin(definition, { observe });
        const { saga } = await sagas.start(planOf(definition), unitOf());
        expect((await until(saga.id)).status).toBe(refused ? 'UNDONE' : 'DONE');
        expect(elsewhere.there.size).toBe(refused ? 0 : 3);
        await sagas.dispose();
        return boundaries;
      };
      const boundaries = await boundariesWithCrashAt(0);
      expect(boundaries).toBe(refused ? 18 : 9);
      for (let crashAt = 1; crashAt <= boundaries; crashAt += 1) await boundariesWithCrashAt(crashAt);
    },
  );

  it('are worked on by one of several instances at a time', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const first = begin(definition, { concurrency: 3 });
    for (let more = 0; more < 2; more += 1) begin(definition, { concurrency: 3 });
    const started = await Promise.all(
      Array.from({ length: 15 }, () => first.start(planOf(definition), unitOf())),
    );
    await Promise.all(started.map((each) => until(each.saga.id)));
    expect(elsewhere.mostAtWork).toBe(1);
    expect(elsewhere.calls).toHaveLength(45);
  });

  it('are stored only by the holder of the lease', async () => {
    const definition = kindOf(new Elsewhere());
    const saga = planned(planOf(definition), definition, uuidv7());
    await store.insert(saga, unitOf());
    const [slow, next] = [randomUUID(), randomUUID()].map((holder) => ({ holder, millis: 60_000 })) as [
      Lease,
      Lease,
    ];
    expect(await store.claim([definition.kind], 5, slow)).toHaveLength(1);
    expect(await store.claim([definition.kind], 5, next)).toHaveLength(0);
    expect(await store.renew(saga.id, slow)).toBe(true);
    await expire(saga.id);
    expect(await store.claim([definition.kind], 5, next)).toHaveLength(1);
    expect(await store.save({ ...saga, status: 'UNDONE' }, slow, async () => undefined)).toBe(false);
    expect(await store.renew(saga.id, slow)).toBe(false);
    expect((await store.find(saga.id))?.status).toBe('RUNNING');
  });

  it('are started once for each subject, unless the earlier one was undone', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set('two', [() => conflict('refused')]);
    const definition = kindOf(elsewhere);
    const sagas = begin(definition, { concurrency: 0 }); // starts no work before all requests
    const plan = planOf(definition);
    const started = await Promise.all(Array.from({ length: 10 }, () => sagas.start(plan, unitOf())));
    expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
    const [{ saga }] = started as [(typeof started)[number]];
    expect(new Set(started.map((each) => each.saga.id))).toEqual(new Set([saga.id]));
    begin(definition);
    expect((await until(saga.id)).status).toBe('UNDONE');
    const again = await sagas.start(plan, unitOf());
    expect(again.isNew).toBe(true);
    expect((await until(again.saga.id)).status).toBe('DONE');
    expect((await sagas.start(plan, unitOf())).isNew).toBe(false);
    expect((await sagas.findBySubjects(plan.kind, [plan.subject])).map(({ id }) => id)).toEqual([
      again.saga.id,
    ]);
    await store.remove(plan.kind, [plan.subject]);
    expect(await sagas.findBySubjects(plan.kind, [plan.subject])).toEqual([]);
  });

  it('stop gracefully: running actions finish, and the next instance continues at once', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const sagas = begin(definition);
    const begun = once(elsewhere.events, 'two');
    const { saga } = await sagas.start(planOf(definition), unitOf());
    await begun;
    await sagas.dispose();
    expect(statuses((await store.find(saga.id)) as Saga)).toEqual(['one DONE', 'two DONE', 'three PENDING']);
    begin(definition).wake();
    expect((await until(saga.id)).status).toBe('DONE');
    expect(elsewhere.calls).toEqual(['one', 'two', 'three']);
  });

  it('wait for a version of the program that has their actions', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const older = { ...definition, actions: { one: elsewhere.action('one') } };
    const saga = planned(planOf(definition), definition, uuidv7());
    await store.insert(saga, unitOf());
    const stuck = begin(older);
    await until(saga.id, ({ actions }) => (actions[1]?.attempts ?? 0) > 1);
    await stuck.dispose();
    begin(definition);
    expect((await until(saga.id)).status).toBe('DONE');
  });

  it('call onChange in the transaction of every change, and change nothing if it fails', async () => {
    const elsewhere = new Elsewhere();
    const told: string[] = [];
    let failures = 2;
    const definition = kindOf(elsewhere, {
      async onChange(saga) {
        if (saga.status === 'DONE' && failures-- > 0) {
          setImmediate(() => void expire(saga.id)); // after this transaction
          throw new Error('the subject is not to be had');
        }
        told.push(`${saga.status} ${saga.actions.filter(({ status }) => status === 'DONE').length}`);
      },
    });
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    await until(saga.id);
    expect(told.at(-1)).toBe('DONE 3');
    expect(told.filter((line) => line.startsWith('DONE'))).toHaveLength(1);
    expect(elsewhere.there.size).toBe(3);
  });

  if (storage === 'database')
    it('start if and only if the starting transaction commits', async () => {
      const elsewhere = new Elsewhere();
      const definition = kindOf(elsewhere);
      const sagas = begin(definition);
      const unit = unitOf();
      const plan = planOf(definition);
      await expect(
        unit.transaction(async () => {
          await sagas.start(plan, unit);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      expect(await sagas.findBySubjects(plan.kind, [plan.subject])).toEqual([]);
      const { saga } = await unit.transaction(() => sagas.start(plan, unit));
      expect((await until(saga.id)).status).toBe('DONE');
    });
});
