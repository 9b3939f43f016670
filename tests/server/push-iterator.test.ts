import { describe, expect, it } from '@jest/globals';
import { PushIterator } from '#server/push-iterator.ts';

const value = (of: number) => ({ done: false, value: of });
const END = { done: true, value: undefined };

describe('an iterator of pushed values', () => {
  it('passes a value to a waiting reader, and keeps the values that were not pulled yet', async () => {
    const values = new PushIterator<number>();
    const first = values.next();
    values.add(1);
    values.add(2);
    expect(values.pendingCount).toBe(1);
    expect([await first, await values.next()]).toEqual([value(1), value(2)]);
  });

  it('delivers pending values before its end, and ignores later values', async () => {
    const values = new PushIterator<number>();
    values.add(1);
    values.end();
    values.add(2);
    expect([await values.next(), await values.next(), await values.next()]).toEqual([value(1), END, END]);
  });

  it('delivers pending values before its error, and the error once', async () => {
    const values = new PushIterator<number>();
    values.add(1);
    values.fail(new Error('broken'));
    expect(await values.next()).toEqual(value(1));
    await expect(values.next()).rejects.toThrow('broken');
    expect(await values.next()).toEqual(END);
  });

  it('rejects a waiting reader, once', async () => {
    const values = new PushIterator<number>();
    const waiting = values.next();
    values.fail(new Error('broken'));
    await expect(waiting).rejects.toThrow('broken');
    expect(await values.next()).toEqual(END);
  });

  it('ends at once if the reader leaves, also while it waits, and drops pending values', async () => {
    const values = new PushIterator<number>();
    const waiting = values.next();
    expect(await values.return()).toEqual(END);
    expect(await waiting).toEqual(END);
    const left = new PushIterator<number>();
    left.add(1);
    await left.return();
    expect([left.isOpen, await left.next()]).toEqual([false, END]);
  });
});
