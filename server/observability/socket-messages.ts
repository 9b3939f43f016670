import { LRUCache } from 'lru-cache';
import { eventOf, presentCause, secondsSince, type EventDelays } from './event-cause.ts';
import { SpanKind, type Span, type Tracing } from './tracing.ts';

/** An event may have thousands of viewers; only the messages to the first ones have spans. */
export const MAX_MESSAGE_SPANS = 20;
/** Sampled changes whose messages are counted at the same time. */
const MAX_CHANGES = 500;

/** Measures the events that a socket endpoint sends in its own protocol, from the change to the message to each client. */
export class SocketMessages {
  private readonly delays: EventDelays;
  private readonly tracing: Tracing | undefined;
  /** The number of messages so far, by the trace context of the change. */
  private readonly ofChange = new LRUCache<string, number>({ max: MAX_CHANGES });

  constructor(delays: EventDelays, tracing: Tracing | undefined) {
    this.delays = delays;
    this.tracing = tracing;
  }

  /** To be called before the message is written, by the listener of the change. @returns the function to call when it is written */
  sending(event: string): () => void {
    const cause = presentCause();
    const span = cause.traceparent === undefined ? undefined : this.spanOf(event, cause.traceparent);
    return () => {
      this.delays.of(event).observe(secondsSince(cause), span);
      span?.end();
    };
  }

  private spanOf(event: string, traceparent: string): Span | undefined {
    const before = this.ofChange.get(traceparent) ?? 0;
    if (before >= MAX_MESSAGE_SPANS) return undefined;
    this.ofChange.set(traceparent, before + 1);
    return this.tracing?.start(`send ${event}`, traceparent, {
      kind: SpanKind.producer,
      attributes: eventOf(event),
    });
  }
}
