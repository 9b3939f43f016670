/**
 * An async iterator of values that a source pushes. `return()` ends it at once, also while `next()` waits for a value. So it
 * is not a generator, whose `return()` would wait for that value and keep the source's listeners until then.
 */
export class PushIterator<Value> implements AsyncIterableIterator<Value> {
  private readonly pending: Value[] = [];
  private waiting: PromiseWithResolvers<IteratorResult<Value>> | undefined;
  private state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: Error } = { kind: 'open' };

  get isOpen(): boolean {
    return this.state.kind === 'open';
  }

  /** How many values the reader has not pulled yet. The source must limit them. */
  get pendingCount(): number {
    return this.pending.length;
  }

  /** Passes the value to the reader, or stores it until the reader pulls it. Ignores it if the iterator has ended. */
  add(value: Value): void {
    if (!this.isOpen) return;
    const waiting = this.takeWaiting();
    if (waiting) waiting.resolve({ done: false, value });
    else this.pending.push(value);
  }

  discardPending(): void {
    this.pending.length = 0;
  }

  /** Ends the iterator after the pending values. */
  end(): void {
    if (!this.isOpen) return;
    this.state = { kind: 'ended' };
    this.takeWaiting()?.resolve({ done: true, value: undefined });
  }

  /** Ends the iterator after the pending values with the error, which the reader gets once. */
  fail(error: Error): void {
    if (!this.isOpen) return;
    const waiting = this.takeWaiting();
    this.state = waiting ? { kind: 'ended' } : { kind: 'failed', error };
    waiting?.reject(error);
  }

  next(): Promise<IteratorResult<Value>> {
    if (this.pending.length > 0)
      return Promise.resolve({ done: false, value: this.pending.shift() as Value });
    const { state } = this;
    if (state.kind === 'open') return (this.waiting = Promise.withResolvers()).promise;
    this.state = { kind: 'ended' };
    return state.kind === 'failed'
      ? Promise.reject(state.error)
      : Promise.resolve({ done: true, value: undefined });
  }

  return(): Promise<IteratorResult<Value>> {
    this.discardPending();
    this.end();
    this.state = { kind: 'ended' };
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private takeWaiting(): PromiseWithResolvers<IteratorResult<Value>> | undefined {
    const { waiting } = this;
    this.waiting = undefined;
    return waiting;
  }
}
