/**
 * An async iterator over events that are pushed, for subscriptions.
 *
 * Written by hand and no generator: a generator that waits for its next event hears `return()` only after that event,
 * so a client that leaves while nothing happens would leave its listener behind.
 */
export interface EventStreamOptions<Event> {
  /** Begins to listen; called at the first `next()`. Returns what ends it. */
  listen(push: (event: Event) => void): (() => void) | Promise<() => void>;
  /** Told first, before any event: the state as it is. */
  snapshot?: () => Promise<Event>;
  /** Undelivered events kept for a slow reader; of more, the oldest go. Default 100. */
  maxPending?: number;
}

export function eventStream<Event>({
  listen,
  snapshot,
  maxPending = 100,
}: EventStreamOptions<Event>): AsyncIterableIterator<Event> {
  const pending: Event[] = [];
  let waiting: ((result: IteratorResult<Event>) => void) | undefined;
  let stop: (() => void) | undefined;
  let started = false;
  let done = false;
  const push = (event: Event) => {
    if (done) return;
    if (waiting) {
      const deliver = waiting;
      waiting = undefined;
      deliver({ value: event, done: false });
      return;
    }
    if (pending.length >= maxPending) pending.shift();
    pending.push(event);
  };
  const start = async () => {
    started = true;
    // Listening begins before the snapshot is taken, so that nothing falls between the two.
    const end = await listen(push);
    if (done) end();
    else stop = end;
    if (snapshot && !done) pending.unshift(await snapshot());
  };
  const stream: AsyncIterableIterator<Event> = {
    async next() {
      if (!started) await start();
      const event = pending.shift();
      if (event !== undefined) return { value: event, done: false };
      if (done) return { value: undefined, done: true };
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    async return() {
      done = true;
      pending.length = 0;
      stop?.();
      waiting?.({ value: undefined, done: true });
      waiting = undefined;
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}
