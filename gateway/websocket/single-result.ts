import type { ExecutionResult } from 'graphql';

/**
 * The result of a query as an async iterator with one element. If the client completes the operation or leaves, graphql-ws
 * calls `return()` of an iterator, but has no way to cancel a promise.
 * @param onLeft called if that happens before the result
 */
export function singleResult(
  result: Promise<ExecutionResult>,
  onLeft: () => void,
): AsyncIterableIterator<ExecutionResult> {
  let isOver = false;
  let leave: (end: undefined) => void = () => undefined;
  const left = new Promise<undefined>((resolve) => (leave = resolve));
  const stream: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      if (isOver) return { done: true, value: undefined };
      const value = await Promise.race([result, left]);
      isOver = true;
      return value ? { done: false, value } : { done: true, value: undefined };
    },
    async return() {
      if (!isOver) onLeft();
      isOver = true;
      leave(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
