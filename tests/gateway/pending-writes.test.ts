import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ResponseCache } from '../../gateway/cache/response-cache.ts';
import { WriteGenerations } from '../../gateway/subgraphs/write-generations.ts';
import { PendingWrites } from '../../gateway/writes/pending-writes.ts';
import type { Write } from '../../gateway/writes/writes.ts';

const MINUTE_MILLIS = 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const begun = (): Write => ({ id: randomUUID(), caller: 'token x', service: 'gym', phase: 'begun' });
const endOf = (write: Write): Write => ({ ...write, phase: 'ended' });

describe('a mutation whose end was never reported', () => {
  /** Further mutations of the service and the caller, a minute between them. */
  function write(onWrite: (write: Write) => void, minutes: number): void {
    for (let minute = 0; minute < minutes; minute += 1) {
      const other = begun();
      onWrite(other);
      onWrite(endOf(other));
      jest.advanceTimersByTime(MINUTE_MILLIS);
    }
  }

  test('disables the response cache for some minutes only, however long its service is written to', () => {
    const pending = new PendingWrites(({ service }) => service);
    const responses = new ResponseCache(pending);
    const onWrite = (one: Write) => {
      pending.onWrite(one);
      responses.onWrite(one);
    };
    const isCached = () => {
      responses.set('key', '{}', ['gym'], 60);
      return responses.get('key') !== undefined;
    };
    expect(isCached()).toBe(true);
    onWrite(begun());
    expect(isCached()).toBe(false);
    write(onWrite, 5);
    expect(isCached()).toBe(false);
    write(onWrite, 7);
    expect(isCached()).toBe(true);
  });

  test('keeps its caller from sharing answers for some minutes only, however long they write', () => {
    const generations = new WriteGenerations();
    const mayShare = () => generations.of({ authorization: 'x' }) !== undefined;
    generations.onWrite(begun());
    write((one) => generations.onWrite(one), 5);
    expect(mayShare()).toBe(false);
    write((one) => generations.onWrite(one), 7);
    expect(mayShare()).toBe(true);
  });
});

test('the end of a mutation whose begin was not reported does not end another one', () => {
  const pending = new PendingWrites(({ service }) => service);
  const running = begun();
  pending.onWrite(running);
  pending.onWrite(endOf(begun()));
  expect(pending.has('gym')).toBe(true);
  pending.onWrite(endOf(running));
  expect(pending.has('gym')).toBe(false);
});
