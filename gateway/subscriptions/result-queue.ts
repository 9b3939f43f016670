import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { PushIterator } from '#server/push-iterator.ts';

const MAX_PENDING = 100;

/**
 * The results of one client subscription as an async iterator. graphql-ws pulls the next one when the previous one is
 * written to the socket. For a client that stops reading at most 100 results are kept; then its subscription ends with
 * `SUBSCRIPTION_SLOW_CONSUMER`.
 *
 * Not @repeaterjs/repeater, which cannot drop results that the client has not read yet.
 */
export class ResultQueue extends PushIterator<ExecutionResult> {
  /** The last result, if it is the whole state. */
  private whole: ExecutionResult | undefined;
  private isRepetitionExpected = false;
  private readonly onLeave: () => void;

  /** @param onLeave called if the client ends its subscription, or reads too slowly */
  constructor(onLeave: () => void) {
    super();
    this.onLeave = onLeave;
  }

  push(result: ExecutionResult, kind: EventKind | undefined): void {
    if (!this.isOpen) return;
    const isRepetition = this.isRepetitionExpected && kind === 'whole' && this.repeats(result);
    this.isRepetitionExpected = false;
    this.whole = kind === 'whole' ? result : undefined;
    if (isRepetition) return;
    if (this.pendingCount < MAX_PENDING) return this.add(result);
    super.discardPending();
    this.fail(slowConsumer());
    this.onLeave();
  }

  /** Drops the results that the client has not read yet. */
  override discardPending(): void {
    if (this.pendingCount > 0) this.whole = undefined;
    super.discardPending();
  }

  /**
   * The next results come from another group. If they begin with the state that the client has, it gets nothing: an update
   * without a change would reveal that, for example, somebody has blocked the viewer.
   */
  expectRepetition(): void {
    this.isRepetitionExpected = true;
  }

  override return(): Promise<IteratorResult<ExecutionResult>> {
    const returned = super.return();
    this.onLeave();
    return returned;
  }

  private repeats(result: ExecutionResult): boolean {
    return this.whole !== undefined && !result.errors && isDeepStrictEqual(result, this.whole);
  }
}

const slowConsumer = () =>
  graphqlErrorOf(
    new PlatformError(
      'SUBSCRIPTION_SLOW_CONSUMER',
      'This client reads more slowly than events arrive; subscribe again, and read faster.',
    ),
  );
