/**
 * How an event depends on earlier ones. The gateway needs the kind to let equal subscriptions share one upstream
 * subscription:
 *
 * - `whole` is the complete state, which is enough for a subscriber that joins later.
 * - `partial` changes the last `whole` event.
 * - `next` belongs to a sequence that began for one subscriber, for example with the events that they missed. A subscriber
 *   that joins later needs a sequence of their own.
 */
export type EventKind = 'whole' | 'partial' | 'next';

/** The property of an event that contains its kind. An event without a kind depends on no other event. */
export const EVENT_KIND = Symbol('kind of event');

export const kindOf = (event: unknown): EventKind | undefined =>
  typeof event === 'object' && event !== null && EVENT_KIND in event
    ? (event[EVENT_KIND] as EventKind)
    : undefined;
