import { describe, expect, it } from '@jest/globals';
import { buildSchema, parse, type ExecutionResult } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { eventStream, type EventStreamArgs } from '#server/graphql/event-stream.ts';
import { createLogger } from '#server/observability/logger.ts';

const schema = buildSchema('type Query { ticks: Int } type Subscription { ticks: Int }');
const log = createLogger('squad', 'silent');

/** A stream over a source of one event, or of none if `read` fails, and what was called at its end. */
async function streamOf({
  read = async () => ({ done: false as const, value: { ticks: 1 } }),
  contextFor = async () => ({}),
}: {
  read?: () => Promise<IteratorResult<unknown>>;
  contextFor?: EventStreamArgs['contextFor'];
}) {
  const calls = { onEnd: 0, return: 0 };
  const source: AsyncIterableIterator<unknown> = {
    next: read,
    return: async () => {
      calls.return += 1;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => source,
  };
  const stream = (await eventStream(
    {
      schema,
      document: parse('subscription { ticks }'),
      rootValue: { ticks: () => source },
      contextFor,
      checkViewer: async () => undefined,
      audience: undefined,
      onEnd: () => void (calls.onEnd += 1),
    },
    log,
  )) as AsyncIterableIterator<ExecutionResult>;
  return { stream, calls };
}

const failing = (code: 'RATE_LIMITED' | 'UPSTREAM_UNAVAILABLE' | 'UNAUTHENTICATED') => () =>
  Promise.reject(new PlatformError(code, 'It fails.'));

describe('a stream of events', () => {
  it('releases its source if the source fails, for example because its reader is too slow', async () => {
    const { stream, calls } = await streamOf({ read: failing('RATE_LIMITED') });
    await expect(stream.next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(calls).toEqual({ onEnd: 1, return: 1 });
  });

  it('releases its source if the context of an event cannot be made, for example because identity is down', async () => {
    const { stream, calls } = await streamOf({ contextFor: failing('UPSTREAM_UNAVAILABLE') });
    await expect(stream.next()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(calls).toEqual({ onEnd: 1, return: 1 });
  });

  it('ends with the error if the token is no longer valid, and is released once', async () => {
    const { stream, calls } = await streamOf({ contextFor: failing('UNAUTHENTICATED') });
    expect((await stream.next()).value.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    await stream.return?.();
    expect(calls).toMatchObject({ onEnd: 1 });
  });
});
