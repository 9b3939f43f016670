import type { ExecutionResult } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { PushIterator } from '#server/push-iterator.ts';

const MAX_PENDING = 100;

/**
 * The results of one client subscription as an async iterator. graphql-ws pulls the next one when the previous one is
 * written to the socket. For a client that stops reading at most 100 results are kept; then its subscription ends with
 * `SUBSCRIPTION_SLOW_CONSUMER`.
 *
 * @repeaterjs/repeater is not used, because it cannot drop results that the client has not read yet.
 */
export class ResultQueue extends PushIterator<ExecutionResult> {
  private readonly onLeave: () => void;

  /** @param onLeave called if the client ends its subscription, or reads too slowly */
  constructor(onLeave: () => void) {
    super();
    this.onLeave = onLeave;
  }

  push(result: ExecutionResult): void {
    if (!this.isOpen) return;
    if (this.pendingCount < MAX_PENDING) return this.add(result);
    this.discardPending();
    this.fail(slowConsumer());
    this.onLeave();
  }

  override return(): Promise<IteratorResult<ExecutionResult>> {
    const returned = super.return();
    this.onLeave();
    return returned;
  }
}

const slowConsumer = () =>
  graphqlErrorOf(
    new PlatformError(
      'SUBSCRIPTION_SLOW_CONSUMER',
      'This client reads more slowly than events arrive; subscribe again, and read faster.',
    ),
  );
