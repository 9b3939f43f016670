import { describe, expect, it } from '@jest/globals';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { isAtRest, planned } from '#server/saga/saga.ts';
import { down, Elsewhere, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas in %s', (storage) => {
  const harness = sagasIn(storage);
  const { begin, expire, kindOf, planOf, until, statuses, unitOf } = harness;

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
      harness.store.removeFinished(definition.kind, before, limit, unitOf());
    expect(await remove(new Date(Date.now() - 60_000), 10)).toBe(0);
    expect(await remove(later, 2)).toBe(2);
    expect(await remove(later, 2)).toBe(1);
    expect(await remove(later, 2)).toBe(0);
    expect((await harness.store.find(saga.id))?.status).toBe('UNDO_FAILED');
  });

  it('drop their inputs at the end, if their definition says so', async () => {
    const definition = kindOf(new Elsewhere(), { forgetsInputs: true });
    const plan = { ...planOf(definition), context: { actorId: 'somebody' } };
    const { saga } = await begin(definition).start(plan, unitOf());
    const done = await until(saga.id);
    expect(done).toMatchObject({ status: 'DONE', context: null, result: { one: { made: 'one1' } } });
    expect(done.actions.map(({ input }) => input)).toEqual([null, null, null]);
  });

  it('with independent actions continue if one fails, and never undo if refusals are retried', async () => {
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
    await harness.store.remove(plan.kind, [plan.subject]);
    expect(await sagas.findBySubjects(plan.kind, [plan.subject])).toEqual([]);
  });

  it('wait for a version of the program that has their actions', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const older = { ...definition, actions: { one: elsewhere.action('one') } };
    const saga = planned(planOf(definition), definition, uuidv7());
    await harness.store.insert(saga, unitOf());
    const stuck = begin(older);
    await until(saga.id, ({ actions }) => (actions[1]?.attempts ?? 0) > 1);
    await stuck.dispose();
    begin(definition);
    expect((await until(saga.id)).status).toBe('DONE');
  });

  it('call onChange in the transaction of every change, and change nothing if it fails', async () => {
    const elsewhere = new Elsewhere();
    const changes: string[] = [];
    let failures = 2;
    const definition = kindOf(elsewhere, {
      async onChange(saga) {
        if (saga.status === 'DONE' && failures-- > 0) {
          setImmediate(() => void expire(saga.id)); // after this transaction
          throw new Error('the subject cannot be read');
        }
        changes.push(`${saga.status} ${saga.actions.filter(({ status }) => status === 'DONE').length}`);
      },
    });
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    await until(saga.id);
    expect(changes.at(-1)).toBe('DONE 3');
    expect(changes.filter((line) => line.startsWith('DONE'))).toHaveLength(1);
    expect(elsewhere.objects.size).toBe(3);
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
