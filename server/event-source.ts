import { PlatformError } from './errors.ts';
import { noteCause } from './observability/event-cause.ts';
import { PushIterator } from './push-iterator.ts';

/** The interface through which a source sends a subscription's events. */
export interface EventSink<Event> {
  /** Returns false if the queue is full: the event and all waiting events are dropped. */
  push(event: Event): boolean;
  /** Ends the stream; waiting events are still delivered. */
  end(): void;
  /** Calls `stop` when the stream ends for any reason, or at once if it has ended already. */
  onStop(stop: () => void): void;
}

interface EventSourceOptions {
  /** How many events may wait for a slow reader at most. Default 1,000. */
  limit?: number;
  /**
   * `fail` (default) ends the stream with an error, for streams in which no event may be lost. `start-again` drops the
   * waiting events, for a source that can send the whole state again.
   */
  whenFull?: 'fail' | 'start-again';
}

/**
 * A subscription's events as an async iterator, whose `return()` stops the source at once.
 *
 * `start` connects the source. If it throws, its error is the answer to the subscription.
 */
export async function eventSource<Event>(
  start: (stream: EventSink<Event>) => Promise<void>,
  options: EventSourceOptions = {},
): Promise<AsyncIterableIterator<Event>> {
  const events = new SourceEvents<Event>(options);
  try {
    await start(events);
    events.begun();
  } catch (error) {
    events.end();
    throw error;
  }
  return events;
}

class SourceEvents<Event> extends PushIterator<Event> implements EventSink<Event> {
  private readonly limit: number;
  private readonly whenFull: 'fail' | 'start-again';
  private readonly stops: (() => void)[] = [];
  /** Whether the source is being opened. Its events then report the present state, so none of them was caused by a change. */
  private isStarting = true;

  constructor({ limit = 1_000, whenFull = 'fail' }: EventSourceOptions) {
    super();
    this.limit = limit;
    this.whenFull = whenFull;
  }

  push(event: Event): boolean {
    if (!this.isOpen) return true;
    if (!this.isStarting) noteCause(event);
    if (this.pendingCount < this.limit) {
      this.add(event);
      return true;
    }
    this.discardPending();
    if (this.whenFull === 'fail')
      this.fail(
        new PlatformError(
          'RATE_LIMITED',
          `More than ${this.limit} events waited for you to read them; subscribe again from the last one that you received.`,
        ),
      );
    return false;
  }

  begun(): void {
    this.isStarting = false;
  }

  onStop(stop: () => void): void {
    if (this.isOpen) this.stops.push(stop);
    else stop();
  }

  override end(): void {
    super.end();
    this.stopSource();
  }

  override fail(error: Error): void {
    super.fail(error);
    this.stopSource();
  }

  private stopSource(): void {
    for (const stop of this.stops.splice(0)) stop();
  }
}
