import { describe, expect, it } from '@jest/globals';
import type { SagaStore } from '#server/saga/saga-store.ts';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { isSettled, planned } from '#server/saga/saga.ts';
import { down, TargetService, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas in %s', (storage) => {
  const harness = sagasIn(storage);
  const { startSagas, expireLease, definitionFor, planFor, waitFor, statuses, unitOf } = harness;

  it('a saga runs its actions in order, and ends with the results of all', async () => {
    const target = new TargetService();
    const definition = definitionFor(target);
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    expect(saga).toMatchObject({ status: 'RUNNING', finishedAt: null });
    const done = await waitFor(saga.id);
    expect(done).toMatchObject({
      status: 'DONE',
      result: { one: { made: 'one1' }, two: { made: 'two' }, three: { made: 'three' } },
      finishedAt: expect.anything(),
    });
    expect(done.actions[0]).toMatchObject({ service: 'one-service', attempts: 1, error: null });
    expect(target.calls).toEqual(['one', 'two', 'three']);
  });

  it('a saga repeats a failing action until it succeeds', async () => {
    const target = new TargetService();
    target.failures.set('two', [down, () => new TypeError('a programming error'), down]);
    const failing: unknown[] = [];
    const definition = definitionFor(target, {
      onChange: async ({ status, actions: [, two] }) => {
        if (two?.error) failing.push({ status, two: two.status, ...two.error });
      },
    });
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    const done = await waitFor(saga.id);
    expect(done).toMatchObject({
      status: 'DONE',
      actions: [{}, { attempts: 4, error: null }, { attempts: 1 }],
    });
    expect(failing[0]).toEqual({
      status: 'RUNNING',
      two: 'PENDING',
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'down',
    });
    expect(target.calls).toEqual(['one', 'two', 'two', 'two', 'two', 'three']);
  });

  it('sagas that have finished are removed after a time, in batches, and no others', async () => {
    const target = new TargetService();
    const definition = definitionFor(target);
    const sagas = startSagas(definition);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1)
      ids.push((await sagas.start(planFor(definition), unitOf())).saga.id);
    for (const id of ids) await waitFor(id);
    target.failures.set('two', [() => conflict('it is taken')]);
    target.failures.set('undo one', [() => conflict('it is in use')]);
    const { saga } = await sagas.start(planFor(definition), unitOf());
    await waitFor(saga.id, isSettled);
    const later = new Date(Date.now() + 60_000);
    const remove = (before: Date, limit: number) =>
      harness.store.removeFinished(definition.kind, before, limit, unitOf());
    expect(await remove(new Date(Date.now() - 60_000), 10)).toBe(0);
    expect(await remove(later, 2)).toBe(2);
    expect(await remove(later, 2)).toBe(1);
    expect(await remove(later, 2)).toBe(0);
    expect((await harness.store.find(saga.id))?.status).toBe('UNDO_FAILED');
  });

  it('a saga removes its inputs when it finishes, if its definition says so', async () => {
    const definition = definitionFor(new TargetService(), { forgetsInputs: true });
    const plan = { ...planFor(definition), context: { actorId: 'somebody' } };
    const { saga } = await startSagas(definition).start(plan, unitOf());
    const done = await waitFor(saga.id);
    expect(done).toMatchObject({ status: 'DONE', context: null, result: { one: { made: 'one1' } } });
    expect(done.actions.map(({ input }) => input)).toEqual([null, null, null]);
  });

  it('a saga with independent actions runs the others if one fails; with onRefusal "retry" it repeats refused actions and undoes none', async () => {
    const target = new TargetService();
    target.failures.set('one', [() => conflict('refused'), down, down, down, down, down]);
    const definition = definitionFor(target, { order: 'independent', onRefusal: 'retry' });
    const plan = planFor(definition);
    plan.actions[2] = { name: 'three', after: ['one'] } as (typeof plan.actions)[number];
    const { saga } = await startSagas(definition).start(plan, unitOf());
    const halfway = await waitFor(saga.id, ({ actions }) => actions[1]?.status === 'DONE');
    expect(statuses(halfway)).toEqual(['one PENDING', 'two DONE', 'three PENDING']);
    expect((await waitFor(saga.id)).status).toBe('DONE');
    expect(target.calls.filter((call) => call !== 'one')).toEqual(['two', 'three']);
  });

  it('a saga is started once for each subject, unless the earlier one was undone', async () => {
    const target = new TargetService();
    target.failures.set('two', [() => conflict('refused')]);
    const definition = definitionFor(target);
    const sagas = startSagas(definition, { concurrency: 0 }); // runs no saga, so that all ten requests find it unfinished
    const plan = planFor(definition);
    const started = await Promise.all(Array.from({ length: 10 }, () => sagas.start(plan, unitOf())));
    expect(started.filter(({ isNew }) => isNew)).toHaveLength(1);
    const [{ saga }] = started as [(typeof started)[number]];
    expect(new Set(started.map((each) => each.saga.id))).toEqual(new Set([saga.id]));
    startSagas(definition);
    expect((await waitFor(saga.id)).status).toBe('UNDONE');
    const again = await sagas.start(plan, unitOf());
    expect(again.isNew).toBe(true);
    expect((await waitFor(again.saga.id)).status).toBe('DONE');
    expect((await sagas.start(plan, unitOf())).isNew).toBe(false);
    expect((await sagas.findBySubjects(plan.kind, [plan.subject])).map(({ id }) => id)).toEqual([
      again.saga.id,
    ]);
    await harness.store.remove(plan.kind, [plan.subject]);
    expect(await sagas.findBySubjects(plan.kind, [plan.subject])).toEqual([]);
  });

  it('a saga waits for a version of the program that has its actions', async () => {
    const target = new TargetService();
    const definition = definitionFor(target);
    const older = { ...definition, actions: { one: target.action('one') } };
    const saga = planned(planFor(definition), definition, uuidv7());
    await harness.store.insert(saga, unitOf());
    const olderVersion = startSagas(older);
    await waitFor(saga.id, ({ actions }) => (actions[1]?.attempts ?? 0) > 1);
    await olderVersion.dispose();
    startSagas(definition);
    expect((await waitFor(saga.id)).status).toBe('DONE');
  });

  it('a saga calls onChange in the transaction of every change, and the change is rolled back if onChange fails', async () => {
    const target = new TargetService();
    const changes: string[] = [];
    let failures = 2;
    const definition = definitionFor(target, {
      async onChange(saga) {
        if (saga.status === 'DONE' && failures-- > 0) {
          setImmediate(() => void expireLease(saga.id)); // after this transaction
          throw new Error('the subject cannot be read');
        }
        changes.push(`${saga.status} ${saga.actions.filter(({ status }) => status === 'DONE').length}`);
      },
    });
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    await waitFor(saga.id);
    expect(changes.at(-1)).toBe('DONE 3');
    expect(changes.filter((line) => line.startsWith('DONE'))).toHaveLength(1);
    expect(target.objects.size).toBe(3);
  });

  if (storage === 'database')
    it('a saga that is due by the clock of the database, and not yet by that of the process, is claimed once in each poll', async () => {
      const target = new TargetService();
      target.failures.set('two', [down]);
      const definition = definitionFor(target);
      const { store } = harness;
      let claims = 0;
      const databaseIsAhead = Object.assign(Object.create(store) as SagaStore, {
        async claim(kinds, limit, lease) {
          const claimed = await store.claim(kinds, limit, lease);
          claims += claimed.length;
          return claimed;
        },
        async release(saga, lease) {
          await store.release(saga, lease);
          await unitOf().em.execute('update saga set due_at = now() where id = ?', [saga.id]);
        },
      } satisfies Partial<SagaStore>);
      const retry = { firstMillis: 500, capMillis: 500 };
      const sagas = startSagas(definition, { store: databaseIsAhead, retry, pollMillis: 100 });
      const { saga } = await sagas.start(planFor(definition), unitOf());
      await waitFor(saga.id);
      expect(claims).toBeLessThan(20);
    });

  if (storage === 'database')
    it('a saga starts if and only if the transaction that started it commits', async () => {
      const target = new TargetService();
      const definition = definitionFor(target);
      const sagas = startSagas(definition);
      const unit = unitOf();
      const plan = planFor(definition);
      await expect(
        unit.transaction(async () => {
          await sagas.start(plan, unit);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      expect(await sagas.findBySubjects(plan.kind, [plan.subject])).toEqual([]);
      const { saga } = await unit.transaction(() => sagas.start(plan, unit));
      expect((await waitFor(saga.id)).status).toBe('DONE');
    });
});
