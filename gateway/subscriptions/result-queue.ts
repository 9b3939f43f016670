import { isDeepStrictEqual } from 'node:util';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';

const MAX_PENDING = 100;

/**
 * The results of one client subscription as an async iterator. graphql-ws pulls the next one when the previous one is
 * written to the socket. For a client that stops reading at most 100 results are kept; then its subscription ends with
 * `SUBSCRIPTION_SLOW_CONSUMER`.
 */
export class ResultQueue implements AsyncIterableIterator<ExecutionResult> {
  private readonly pending: ExecutionResult[] = [];
  /** The last result, if it is the whole state. */
  private whole: ExecutionResult | undefined;
  private isRepetitionExpected = false;
  private waiting:
    | { resolve(result: IteratorResult<ExecutionResult>): void; reject(error: unknown): void }
    | undefined;
  private state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: GraphQLError } = {
    kind: 'open',
  };
  private readonly onLeave: (results: ResultQueue) => void;

  /** @param onLeave called if the client ends its subscription, or reads too slowly */
  constructor(onLeave: (results: ResultQueue) => void) {
    this.onLeave = onLeave;
  }

  push(result: ExecutionResult, kind: EventKind | undefined): void {
    if (this.state.kind !== 'open') return;
    const isRepetition = this.isRepetitionExpected && kind === 'whole' && this.repeats(result);
    this.isRepetitionExpected = false;
    this.whole = kind === 'whole' ? result : undefined;
    if (isRepetition) return;
    const { waiting } = this;
    if (waiting) {
      this.waiting = undefined;
      waiting.resolve({ value: result, done: false });
    } else if (this.pending.length < MAX_PENDING) {
      this.pending.push(result);
    } else {
      this.pending.length = 0;
      this.fail(
        graphqlErrorOf(
          new PlatformError(
            'SUBSCRIPTION_SLOW_CONSUMER',
            'This client reads more slowly than events arrive; subscribe again, and read faster.',
          ),
        ),
      );
      this.onLeave(this);
    }
  }

  /** Drops the results that the client has not read yet. */
  discardPending(): void {
    if (this.pending.length > 0) this.whole = undefined;
    this.pending.length = 0;
  }

  /**
   * The next results come from another group. If they begin with the state that the client has, it gets nothing: an update
   * without a change would reveal that, for example, somebody has blocked the viewer.
   */
  expectRepetition(): void {
    this.isRepetitionExpected = true;
  }

  private repeats(result: ExecutionResult): boolean {
    return this.whole !== undefined && !result.errors && isDeepStrictEqual(result, this.whole);
  }

  end(): void {
    if (this.state.kind !== 'open') return;
    this.state = { kind: 'ended' };
    this.waiting?.resolve({ value: undefined, done: true });
    this.waiting = undefined;
  }

  fail(error: GraphQLError): void {
    if (this.state.kind !== 'open') return;
    const { waiting } = this;
    this.waiting = undefined;
    if (waiting) {
      this.state = { kind: 'ended' };
      waiting.reject(error);
    } else this.state = { kind: 'failed', error };
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    const result = this.pending.shift();
    if (result) return { value: result, done: false };
    if (this.state.kind === 'failed') {
      const { error } = this.state;
      this.state = { kind: 'ended' };
      throw error;
    }
    if (this.state.kind === 'ended') return { value: undefined, done: true };
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.pending.length = 0;
    this.end();
    this.onLeave(this);
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
