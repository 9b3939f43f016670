import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { conflict } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import { isAtRest } from '#server/saga/saga.ts';
import { down, Elsewhere, sagasIn } from '../support/sagas.ts';

describe.each(['database', 'memory'])('sagas in %s', (storage) => {
  const harness = sagasIn(storage);
  const { begin, kindOf, planOf, until, statuses, figures, unitOf } = harness;

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
    expect(elsewhere.objects.size).toBe(0);
  });

  it('whose action cannot be undone undo the rest, and wait until RETRY', async () => {
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
    expect([...elsewhere.objects]).toEqual([`${saga.id}:two`]);
    expect(await harness.store.claim([definition.kind], 5, { holder: randomUUID(), millis: 60_000 })).toEqual(
      [],
    );
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
    expect(elsewhere.objects.size).toBe(0);
    await figures(registry, definition.kind, { failed: 2, waiting: 0 });
    await expect(sagas.resolve(saga.id, retry, unitOf())).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(sagas.resolve(uuidv7(), retry, unitOf())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('whose action cannot be undone end with ACCEPT; of two simultaneous decisions the first counts', async () => {
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
    expect(await harness.store.find(saga.id)).toMatchObject({
      status: 'UNDONE',
      finishedAt: expect.anything(),
      undoing: { resolutions: [accept] },
    });
    expect([...elsewhere.objects]).toEqual([`${saga.id}:two`]);
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

  it('are undone after their time limit', async () => {
    const elsewhere = new Elsewhere();
    elsewhere.failures.set(
      'two',
      Array.from({ length: 1_000 }, () => down),
    );
    const definition = kindOf(elsewhere, { giveUpAfterMillis: 50 });
    const { saga } = await begin(definition).start(planOf(definition), unitOf());
    expect(statuses(await until(saga.id))).toEqual(['one UNDONE', 'two FAILED', 'three PENDING']);
    expect(elsewhere.objects.size).toBe(0);
  });
});
