import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { uuidv7 } from '#server/ids.ts';
import type { Boundary } from '#server/saga/saga-run.ts';
import type { Lease } from '#server/saga/saga-store.ts';
import { planned, type Saga } from '#server/saga/saga.ts';
import { TargetService, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas of several instances in %s', (storage) => {
  const harness = sagasIn(storage);
  const { startSagas, expireLease, definitionFor, planFor, waitFor, statuses, unitOf } = harness;

  it.each([false, true])(
    'a saga continues after a crash at any boundary, and ends once (refused: %s)',
    async (refused) => {
      const boundariesWithCrashAt = async (crashAt: number): Promise<number> => {
        const target = new TargetService();
        if (refused) target.refused = 'three';
        const definition = definitionFor(target);
        let boundaries = 0;
        const observe = ({ sagaId }: Boundary) => {
          boundaries += 1;
          if (boundaries !== crashAt) return;
          void expireLease(sagaId);
          throw new Error('crash');
        };
        const sagas = startSagas(definition, { observe });
        const { saga } = await sagas.start(planFor(definition), unitOf());
        expect((await waitFor(saga.id)).status).toBe(refused ? 'UNDONE' : 'DONE');
        expect(target.objects.size).toBe(refused ? 0 : 3);
        await sagas.dispose();
        return boundaries;
      };
      const boundaries = await boundariesWithCrashAt(0);
      expect(boundaries).toBe(refused ? 18 : 9);
      for (let crashAt = 1; crashAt <= boundaries; crashAt += 1) await boundariesWithCrashAt(crashAt);
    },
  );

  it('only one of several instances works on a saga at a time', async () => {
    const target = new TargetService();
    const definition = definitionFor(target);
    const first = startSagas(definition, { concurrency: 3 });
    for (let more = 0; more < 2; more += 1) startSagas(definition, { concurrency: 3 });
    const started = await Promise.all(
      Array.from({ length: 15 }, () => first.start(planFor(definition), unitOf())),
    );
    await Promise.all(started.map((each) => waitFor(each.saga.id)));
    expect(target.maxConcurrentCalls).toBe(1);
    expect(target.calls).toHaveLength(45);
  });

  it('only the holder of its lease stores a saga', async () => {
    const definition = definitionFor(new TargetService());
    const saga = planned(planFor(definition), definition, uuidv7());
    await harness.store.insert(saga, unitOf());
    const [slow, next] = [randomUUID(), randomUUID()].map((holder) => ({ holder, millis: 60_000 })) as [
      Lease,
      Lease,
    ];
    expect(await harness.store.claim([definition.kind], 5, slow)).toHaveLength(1);
    expect(await harness.store.claim([definition.kind], 5, next)).toHaveLength(0);
    expect(await harness.store.renew(saga.id, slow)).toBe(true);
    await expireLease(saga.id);
    expect(await harness.store.claim([definition.kind], 5, next)).toHaveLength(1);
    expect(await harness.store.save({ ...saga, status: 'UNDONE' }, slow, async () => undefined)).toBe(false);
    expect(await harness.store.renew(saga.id, slow)).toBe(false);
    expect((await harness.store.find(saga.id))?.status).toBe('RUNNING');
  });

  it('an instance that stops finishes its running actions, and the next instance continues at once', async () => {
    const target = new TargetService();
    const definition = definitionFor(target);
    const sagas = startSagas(definition);
    const begun = once(target.events, 'two');
    const { saga } = await sagas.start(planFor(definition), unitOf());
    await begun;
    await sagas.dispose();
    expect(statuses((await harness.store.find(saga.id)) as Saga)).toEqual([
      'one DONE',
      'two DONE',
      'three PENDING',
    ]);
    startSagas(definition).wake();
    expect((await waitFor(saga.id)).status).toBe('DONE');
    expect(target.calls).toEqual(['one', 'two', 'three']);
  });
});
