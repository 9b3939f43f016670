import type { ExecutionResult } from 'graphql';
import {
  causeIn,
  eventDelays,
  eventOf,
  secondsSince,
  type EventCause,
  type EventDelays,
} from '#server/observability/event-cause.ts';
import type { Series } from '#server/observability/fast-histogram.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import { MAX_MESSAGE_SPANS } from '#server/observability/socket-messages.ts';
import { SpanKind, type Span, type Tracing } from '#server/observability/tracing.ts';

/** An event on its way to the clients. */
export interface Delivery {
  readonly cause: EventCause;
  readonly subscription: string;
  readonly delays: Series;
  /** The span of the execution of the event, if its cause is sampled. */
  readonly span: Span | undefined;
  /** The number of messages to clients so far. */
  messages: number;
}

/** Measures how long events take from their cause until the message is written to each client's socket. */
export class Deliveries {
  private readonly tracing: Tracing | undefined;
  private readonly delays: EventDelays;
  private readonly byResult = new WeakMap<ExecutionResult, Delivery>();

  constructor(metrics: Metrics, tracing: Tracing | undefined) {
    this.tracing = tracing;
    this.delays = eventDelays(metrics);
  }

  /** Undefined if the subgraph does not name the cause of the event. */
  begin({ extensions }: ExecutionResult): Delivery | undefined {
    const cause = causeIn(extensions?.cause);
    if (!cause) return undefined;
    const { subscription } = cause;
    const options = { kind: SpanKind.consumer, attributes: eventOf(subscription) };
    const span = cause.traceparent
      ? this.tracing?.start(`event ${subscription}`, cause.traceparent, options)
      : undefined;
    return { cause, subscription, delays: this.delays.of(subscription), span, messages: 0 };
  }

  /** Remembers to which event a result belongs. All viewers of the group get this result. */
  follow(result: ExecutionResult, delivery: Delivery): void {
    this.byResult.set(result, delivery);
  }

  /** To be called before a result is written to a client. @returns the function to call when it is written */
  sending(result: ExecutionResult): (() => void) | undefined {
    const delivery = this.byResult.get(result);
    if (!delivery) return undefined;
    const { cause, subscription, delays, span } = delivery;
    delivery.messages += 1;
    const message =
      delivery.messages <= MAX_MESSAGE_SPANS
        ? span?.child(`send ${subscription}`, { kind: SpanKind.producer, attributes: eventOf(subscription) })
        : undefined;
    return () => {
      delays.observe(secondsSince(cause), span);
      message?.end();
    };
  }
}
