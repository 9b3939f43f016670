import type { ExecutionResult } from 'graphql';
import { PushIterator } from '#server/push-iterator.ts';

/**
 * The result of a query as an async iterator with one element. If the client completes the operation or leaves, graphql-ws
 * calls `return()` of an iterator, but has no way to cancel a promise.
 */
export class SingleResult extends PushIterator<ExecutionResult> {
  private readonly onLeft: () => void;

  /** @param onLeft called if the client completes the operation or leaves before the result */
  constructor(result: Promise<ExecutionResult>, onLeft: () => void) {
    super();
    this.onLeft = onLeft;
    void this.pass(result);
  }

  private async pass(result: Promise<ExecutionResult>): Promise<void> {
    try {
      this.add(await result);
      this.end();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  override return(): Promise<IteratorResult<ExecutionResult>> {
    if (this.isOpen) this.onLeft();
    return super.return();
  }
}
