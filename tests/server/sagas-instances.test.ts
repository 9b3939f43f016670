import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { uuidv7 } from '#server/ids.ts';
import type { Boundary } from '#server/saga/saga-run.ts';
import type { Lease } from '#server/saga/saga-store.ts';
import { planned, type Saga } from '#server/saga/saga.ts';
import { Elsewhere, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas of several instances in %s', (storage) => {
  const harness = sagasIn(storage);
  const { begin, expire, kindOf, planOf, until, statuses, unitOf } = harness;

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
        expect(elsewhere.objects.size).toBe(refused ? 0 : 3);
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
    await harness.store.insert(saga, unitOf());
    const [slow, next] = [randomUUID(), randomUUID()].map((holder) => ({ holder, millis: 60_000 })) as [
      Lease,
      Lease,
    ];
    expect(await harness.store.claim([definition.kind], 5, slow)).toHaveLength(1);
    expect(await harness.store.claim([definition.kind], 5, next)).toHaveLength(0);
    expect(await harness.store.renew(saga.id, slow)).toBe(true);
    await expire(saga.id);
    expect(await harness.store.claim([definition.kind], 5, next)).toHaveLength(1);
    expect(await harness.store.save({ ...saga, status: 'UNDONE' }, slow, async () => undefined)).toBe(false);
    expect(await harness.store.renew(saga.id, slow)).toBe(false);
    expect((await harness.store.find(saga.id))?.status).toBe('RUNNING');
  });

  it('stop gracefully: running actions finish, and the next instance continues at once', async () => {
    const elsewhere = new Elsewhere();
    const definition = kindOf(elsewhere);
    const sagas = begin(definition);
    const begun = once(elsewhere.events, 'two');
    const { saga } = await sagas.start(planOf(definition), unitOf());
    await begun;
    await sagas.dispose();
    expect(statuses((await harness.store.find(saga.id)) as Saga)).toEqual([
      'one DONE',
      'two DONE',
      'three PENDING',
    ]);
    begin(definition).wake();
    expect((await until(saga.id)).status).toBe('DONE');
    expect(elsewhere.calls).toEqual(['one', 'two', 'three']);
  });
});
