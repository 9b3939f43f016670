import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { isSettled } from '#server/saga/saga.ts';
import { down, TargetService, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas in %s', (storage) => {
  const harness = sagasIn(storage);
  const { startSagas, definitionFor, planFor, waitFor, statuses, waitForMetrics, unitOf } = harness;

  it('a saga is undone in reverse if an action is refused, and undoing is repeated until it succeeds', async () => {
    const target = new TargetService();
    target.failures.set('three', [() => conflict('it is taken')]);
    target.failures.set('undo two', [down, () => new TypeError('a programming error')]);
    const definition = definitionFor(target);
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    const undone = await waitFor(saga.id);
    expect(undone).toMatchObject({ status: 'UNDONE', finishedAt: expect.anything() });
    expect(statuses(undone)).toEqual(['one UNDONE', 'two UNDONE', 'three FAILED']);
    expect(undone.actions[2]?.error).toEqual({ code: 'CONFLICT', message: 'it is taken' });
    expect(target.calls.slice(3)).toEqual(['undo three', 'undo two', 'undo two', 'undo two', 'undo one']);
    expect(target.objects.size).toBe(0);
  });

  it('a saga with an action that cannot be undone undoes the others, and waits until it is resolved with RETRY', async () => {
    const target = new TargetService();
    target.failures.set('three', [() => conflict('it is taken')]);
    target.failures.set('undo two', [() => conflict('it is in use'), () => conflict('still in use')]);
    const definition = definitionFor(target, { forgetsInputs: true });
    const registry = new Registry();
    const sagas = startSagas(definition, { registry });
    const plan = { ...planFor(definition), context: { actorId: 'somebody' } };
    const { saga } = await sagas.start(plan, unitOf());
    const waiting = await waitFor(saga.id, isSettled);
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
    expect([...target.objects]).toEqual([`${saga.id}:two`]);
    expect(await harness.store.claim([definition.kind], 5, { holder: randomUUID(), millis: 60_000 })).toEqual(
      [],
    );
    expect((await sagas.start(plan, unitOf())).isNew).toBe(false);
    await waitForMetrics(registry, definition.kind, { failed: 1, waiting: 1 });

    const by = randomUUID();
    const retry = { action: 'RETRY', note: 'the last guest has left', by } as const;
    expect((await sagas.resolve(saga.id, retry, unitOf())).status).toBe('UNDOING');
    const stillWaiting = await waitFor(
      saga.id,
      ({ undoing, status }) => status === 'UNDO_FAILED' && undoing?.round === 1,
    );
    expect(stillWaiting.actions[1]?.undoError?.message).toBe('still in use');
    await sagas.resolve(saga.id, retry, unitOf());
    const undone = await waitFor(saga.id);
    expect(undone).toMatchObject({
      status: 'UNDONE',
      context: null,
      undoing: { round: 2, resolutions: [retry, retry] },
    });
    expect(target.objects.size).toBe(0);
    await waitForMetrics(registry, definition.kind, { failed: 2, waiting: 0 });
    await expect(sagas.resolve(saga.id, retry, unitOf())).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(sagas.resolve(uuidv7(), retry, unitOf())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a saga with an action that cannot be undone ends with ACCEPT; of several simultaneous decisions only one is accepted', async () => {
    const target = new TargetService();
    target.failures.set('three', [() => conflict('it is taken')]);
    target.failures.set('undo two', [() => conflict('it is in use')]);
    const definition = definitionFor(target);
    const sagas = startSagas(definition);
    const plan = planFor(definition);
    const { saga } = await sagas.start(plan, unitOf());
    await waitFor(saga.id, isSettled);
    const accept = { action: 'ACCEPT', note: 'it stays', by: randomUUID() } as const;
    const decisions = await Promise.allSettled(
      Array.from({ length: 5 }, () => sagas.resolve(saga.id, accept, unitOf())),
    );
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await harness.store.find(saga.id)).toMatchObject({
      status: 'UNDONE',
      finishedAt: expect.anything(),
      undoing: { resolutions: [accept] },
    });
    expect([...target.objects]).toEqual([`${saga.id}:two`]);
    expect((await sagas.start(plan, unitOf())).isNew).toBe(true);
  });

  it('a saga gives up undoing an action that fails for too long, and undoes the others', async () => {
    const target = new TargetService();
    target.failures.set('three', [() => conflict('it is taken')]);
    target.failures.set(
      'undo two',
      Array.from({ length: 1_000 }, () => down),
    );
    // The time of the next action counts from its own first attempt.
    target.failures.set('undo one', [down, down]);
    const definition = definitionFor(target, { undoGiveUpAfterMillis: 1_000 });
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    const waiting = await waitFor(saga.id, isSettled);
    expect(waiting.status).toBe('UNDO_FAILED');
    expect(statuses(waiting)).toEqual(['one UNDONE', 'two DONE', 'three FAILED']);
    expect(waiting.actions[1]?.undoAttempts).toBeGreaterThan(1);
  });

  it('a saga is undone after its time limit', async () => {
    const target = new TargetService();
    target.failures.set(
      'two',
      Array.from({ length: 1_000 }, () => down),
    );
    const definition = definitionFor(target, { giveUpAfterMillis: 50 });
    const { saga } = await startSagas(definition).start(planFor(definition), unitOf());
    expect(statuses(await waitFor(saga.id))).toEqual(['one UNDONE', 'two FAILED', 'three PENDING']);
    expect(target.objects.size).toBe(0);
  });
});
