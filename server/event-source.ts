import { PlatformError } from './errors.ts';

/** The interface through which a source sends a subscription's events. */
export interface EventSink<Event> {
  /** False if the queue is full: the event is dropped, and (with `start-again`) all waiting events with it. */
  push(event: Event): boolean;
  /** Ends the stream; waiting events are still delivered. */
  end(): void;
  /** Calls `stop` when the stream ends, for whatever reason; at once if it has ended already. */
  onStop(stop: () => void): void;
}

export interface EventSourceOptions {
  /** Most events that may wait for a slow reader. Default 1,000. */
  limit?: number;
  /**
   * `fail` ends the stream with an error, for events of which none may be lost (default). `start-again` drops the waiting
   * events, for a source that can send the whole state again.
   */
  whenFull?: 'fail' | 'start-again';
}

/**
 * A subscription's events as an async iterator, written by hand: `return()` stops the source at once, also while `next()`
 * waits for an event. The `return()` of a generator would wait for that event, and keep the listeners until then.
 *
 * `start` connects the source. If it throws, its error is the answer to the subscription.
 */
export async function eventSource<Event>(
  start: (stream: EventSink<Event>) => Promise<void>,
  { limit = 1_000, whenFull = 'fail' }: EventSourceOptions = {},
): Promise<AsyncIterableIterator<Event>> {
  const queue: Event[] = [];
  const stops: (() => void)[] = [];
  let waiting: { resolve(result: IteratorResult<Event>): void; reject(error: Error): void } | undefined;
  let failure: Error | undefined;
  let isOver = false;

  const stop = (): void => {
    isOver = true;
    for (const stopOne of stops.splice(0)) stopOne();
    waiting?.resolve({ done: true, value: undefined });
    waiting = undefined;
  };
  const stream: EventSink<Event> = {
    push(event) {
      if (isOver) return true;
      if (waiting) {
        waiting.resolve({ done: false, value: event });
        waiting = undefined;
        return true;
      }
      if (queue.length < limit) return queue.push(event) > 0;
      queue.length = 0;
      if (whenFull === 'fail') {
        failure = new PlatformError(
          'RATE_LIMITED',
          `More than ${limit} events waited for you to read them; subscribe again from the last one that you received.`,
        );
        stop();
      }
      return false;
    },
    end: stop,
    onStop(stopOne) {
      if (isOver) stopOne();
      else stops.push(stopOne);
    },
  };

  try {
    await start(stream);
  } catch (error) {
    stop();
    throw error;
  }
  const iterator: AsyncIterableIterator<Event> = {
    next() {
      const event = queue.shift();
      if (event !== undefined) return Promise.resolve({ done: false, value: event });
      if (failure) {
        const error = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (isOver) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve, reject) => (waiting = { resolve, reject }));
    },
    return() {
      queue.length = 0;
      failure = undefined;
      stop();
      return Promise.resolve({ done: true, value: undefined });
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
